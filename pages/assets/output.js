// Shows what a program writes, as it writes it: asks for what is new, and shows that as a
// terminal would, roughly.
'use strict';

// Characters that stay on the page; all of it can be read as text.
const shownMax = 256 * 1024;

// A line without an end is one nevertheless.
const lineMax = 16 * 1024;

// Between two questions: the longer, the longer nothing came.
const firstWait = 500;
const longestWait = 2000;
const waitAfterProblem = 3000;

const anyOf = (expressions, flags) =>
  new RegExp(expressions.map((x) => x.source).join('|'), flags);

const escapes = anyOf([
  /\x1b\[[0-?]*[ -/]*[@-~]/,
  /\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)/,
  /\x1b[PX^_][^\x1b\n]*\x1b\\/,
  /\x1b[ -/]*[0-OQ-WYZ`-~]/,
], 'g');

// The beginning of one of them, of which the rest may yet come.
const beginningOfEscape = anyOf([
  /\x1b\[[0-?]*[ -/]*$/,
  /\x1b\][^\x07\x1b\n]*\x1b?$/,
  /\x1b[PX^_][^\x1b\n]*\x1b?$/,
  /\x1b[ -/]*$/,
]);
const escapeMax = 1000;

// \v stands for "erase the rest of the line".
const moves = /([\r\b\v])/;

class Screen {
  constructor(pre) {
    this.pre = pre;
    this.unread = '';
    this.line = '';
    this.column = 0;
    this.shown = 0;
    this.last = document.createElement('span');
    this.note = document.createElement('span');
    this.note.className = 'text-secondary';
    this.trouble = document.createElement('span');
    this.trouble.className = 'text-secondary';
    pre.replaceChildren(this.note, this.last, this.trouble);
  }

  // Why nothing comes, behind all that was written; empty: it comes.
  complain(text) {
    const isWithinLine = this.line || (this.isEmpty && this.note.textContent);
    const shown = text && `${isWithinLine ? '\n' : ''}[stoker] ${text}\n`;
    if (this.trouble.textContent === shown) return;
    this.keepingItsEnd(() => { this.trouble.textContent = shown; });
  }

  // Who reads the end goes on doing so.
  keepingItsEnd(change) {
    const { pre } = this;
    const wasAtEnd = pre.scrollHeight - pre.scrollTop - pre.clientHeight < 8;
    change();
    if (wasAtEnd) pre.scrollTop = pre.scrollHeight;
  }

  // A word of the page's own, before all that was written.
  say(text) {
    if (this.note.textContent !== text) this.note.textContent = text;
  }

  get isEmpty() {
    return this.shown === 0 && this.line === '';
  }

  // Without more to come soon, the beginning of a sequence is none.
  write(text, restFollows) {
    this.keepingItsEnd(() => this.show(this.plain(text, restFollows)));
  }

  show(text) {
    const lines = text.split('\n');
    let done = '';
    lines.forEach((line, i) => {
      this.type(line);
      const isWhole = i + 1 < lines.length;
      if (isWhole || this.line.length > lineMax) {
        done += `${this.line}\n`;
        this.line = '';
        this.column = 0;
      }
    });
    if (done) this.append(done);
    if (this.last.textContent !== this.line) this.last.textContent = this.line;
  }

  // Without colours and the like, which may come in two pieces.
  plain(text, restFollows) {
    const all = this.unread + text;
    const tail = Math.max(0, all.length - escapeMax);
    const begun = restFollows ? all.slice(tail).search(beginningOfEscape) : -1;
    const end = begun < 0 ? all.length : tail + begun;
    this.unread = all.slice(end);
    return all.slice(0, end).replaceAll('\v', '')
      .replace(escapes, (x) => (/^\x1b\[[02]?K$/.test(x) ? '\v' : ''))
      .replace(/[\x00-\x07\x0c\x0e-\x1f\x7f]/g, '');
  }

  // What comes after a return overwrites what stands there.
  type(text) {
    for (const part of text.split(moves)) {
      if (part === '\r') this.column = 0;
      else if (part === '\b') this.column = Math.max(0, this.column - 1);
      else if (part === '\v') this.line = this.line.slice(0, this.column);
      else {
        const end = this.column + part.length;
        this.line = this.line.slice(0, this.column) + part + this.line.slice(end);
        this.column = end;
      }
    }
  }

  append(text) {
    const block = document.createElement('span');
    block.className = 'lines';
    block.textContent = text;
    this.last.before(block);
    this.shown += text.length;
    while (this.shown > shownMax && this.note.nextSibling !== block) {
      this.shown -= this.note.nextSibling.textContent.length;
      this.note.nextSibling.remove();
      this.say('[stoker] earlier output is left out\n');
    }
  }
}

function nextOf(answer) {
  const found = /<([^>]*)>;\s*rel="next"/.exec(answer.headers.get('Link') ?? '');
  return found ? found[1] : null;
}

// Its worker is lost, or nobody knows the program: that does not change.
function isGone(answer) {
  return answer.status === 404 || answer.status === 410;
}

// What could not be taken whole is asked for again: it begins where the last one has ended.
async function showOutput(pre) {
  const screen = new Screen(pre);
  const decoder = new TextDecoder();
  let next = `${pre.dataset.output}?portion=last`;
  let wait = firstWait;
  while (next) {
    await untilVisible();
    try {
      const answer = await fetch(next, { signal: AbortSignal.timeout(answerPatience) });
      if (answer.ok) {
        const bytes = await answer.arrayBuffer();
        const hasNews = bytes.byteLength > 0;
        next = nextOf(answer);
        wait = hasNews ? firstWait : Math.min(1.5 * wait, longestWait);
        screen.complain('');
        if (screen.isEmpty) screen.say(hasNews ? '' : 'Nothing yet.');
        screen.write(decoder.decode(bytes, { stream: next !== null }),
          hasNews && next !== null);
        if (!next && screen.isEmpty) screen.say('Nothing was written.');
      } else if (isGone(answer)) {
        next = null;
        const { detail } = await answer.json();
        if (screen.isEmpty) screen.say('');
        screen.complain(`${detail}: no more can be read`);
      } else if (isRefused(answer)) {
        // The reader may sign in elsewhere. Why he has to, the page says.
        wait = signedOutPause;
        screen.complain('');
      } else {
        // The worker may come back.
        wait = waitAfterProblem;
        screen.complain(`${(await answer.json()).detail}; asking again`);
      }
    } catch {
      wait = waitAfterProblem;
    }
    if (next) await pause(wait);
  }
}

for (const pre of document.querySelectorAll('[data-output]')) showOutput(pre);
