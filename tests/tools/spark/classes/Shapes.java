// What serial_version_test.py reads: one nested class for each rule. Compiled by
// `javac --release 16 -d . Shapes.java`; the ids there were printed by `serialver`.

import java.io.Externalizable;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.Serializable;

class Shapes {
  interface Measured {
    double area();
  }

  interface Marked extends Serializable {}

  static class NotSerializable {
    int kept;
  }

  /** Its super class is no part of the stream. */
  protected static class Square extends NotSerializable implements Measured, Marked {
    static final String KIND = "square".trim();
    private static long made;
    private transient int cached;
    protected transient int shared;
    private String name;
    volatile int side;
    private byte[] bytes;
    boolean filled;

    protected Square() {}

    private Square(int x) {
      side = x;
    }

    public Square(String x, int y) {
      this(y);
      name = x;
    }

    public synchronized double area() {
      return side * (double) side;
    }

    private long count() {
      return made + cached;
    }

    final strictfp String[] names(Object[] xs) {
      return bytes == null ? null : new String[] {name + count() + xs.length};
    }
  }

  static final class Cube extends Square {
    private static final long serialVersionUID = -81L;
    long height;

    private void writeObject(ObjectOutputStream out) {}
  }

  static class Own implements Externalizable {
    int unseen;

    public Own() {}

    public void writeExternal(ObjectOutput out) {}

    public void readExternal(ObjectInput in) {}
  }

  enum Colour {
    RED,
    GREEN {
      int order() {
        return 2;
      }
    };

    int order() {
      return 1;
    }
  }

  record Pair(String right, int left) implements Serializable {}

  static class Computed implements Serializable {
    private static final long serialVersionUID = Long.parseLong("7");
  }

  static class Choosing implements Serializable {
    private static final java.io.ObjectStreamField[] serialPersistentFields = {};
  }

  /** The JVM takes its flags for those of a class that anybody in the package sees. */
  private abstract static class Words implements Serializable {
    // Sorted as the JVM sorts text, by halves of surrogate pairs, it is before the other.
    String \ud835\udc00() {
      return null;
    }

    String \uff21() {
      return null;
    }
  }
}
