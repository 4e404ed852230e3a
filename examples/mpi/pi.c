/* Pi, as the area below 4 / (1 + x * x): each rank has a part of the steps. What the steps
   are, each reads from the file that its task wrote: input-RANK, "first last all". Rank 0
   writes the sum to the file output. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  char name[64];
  snprintf(name, sizeof(name), "input-%d", rank);
  FILE* input = fopen(name, "r");
  long first = 0, last = 0, all = 0;
  if (input == NULL || fscanf(input, "%ld %ld %ld", &first, &last, &all) != 3) {
    fprintf(stderr, "pi: rank %d has no input\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  fclose(input);

  /* For those who want to see what becomes of a rank that is killed. */
  const char* pause = getenv("PI_SECONDS");
  if (pause != NULL) {
    snprintf(name, sizeof(name), "begun-%d", rank);
    FILE* begun = fopen(name, "w");
    if (begun != NULL)
      fclose(begun);
    sleep((unsigned)atoi(pause));
  }

  double part = 0, sum = 0;
  for (long i = first; i < last; ++i) {
    double x = (i + 0.5) / all;
    part += 4 / (1 + x * x);
  }
  MPI_Reduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    FILE* output = fopen("output", "w");
    if (output == NULL || fprintf(output, "%.12f\n", sum / all) < 0
        || fclose(output) != 0)
      MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
