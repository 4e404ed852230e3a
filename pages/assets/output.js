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

const escapes = new RegExp([
  /\x1b\[[0-?]*[ -/]*[@-~]/,
  /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/,
  /\x1b[PX^_][^\x1b]*\x1b\\/,
  /\x1b[ -/]*[0-OQ-WYZ`-~]/,
].map((x) => x.source).join('|'), 'g');
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
    const shown = text && `${this.line ? '\n' : ''}[stoker] ${text}; asking again\n`;
    if (this.trouble.textContent !== shown) this.trouble.textContent = shown;
  }

  // A word of the page's own, before all that was written.
  say(text) {
    if (this.note.textContent !== text) this.note.textContent = text;
  }

  get isEmpty() {
    return this.shown === 0 && this.line === '';
  }

  write(text) {
    const { pre } = this;
    const atEnd = pre.scrollHeight - pre.scrollTop - pre.clientHeight < 8;
    const lines = this.plain(text).split('\n');
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
    if (atEnd) pre.scrollTop = pre.scrollHeight;
  }

  // Without colours and the like, which may come in two pieces.
  plain(text) {
    let all = this.unread + text;
    this.unread = '';
    const last = all.lastIndexOf('\x1b');
    if (last >= 0 && all.length - last < escapeMax && all.slice(last).search(escapes) < 0) {
      this.unread = all.slice(last);
      all = all.slice(0, last);
    }
    return all.replaceAll('\v', '')
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
        next = nextOf(answer);
        wait = bytes.byteLength > 0 ? firstWait : Math.min(1.5 * wait, longestWait);
        screen.complain('');
        if (screen.isEmpty) screen.say(bytes.byteLength > 0 ? '' : 'Nothing yet.');
        screen.write(decoder.decode(bytes, { stream: true }));
      } else {
        wait = answer.status === 401 ? signedOutPause : waitAfterProblem;
        // The master may learn of it again, and the worker may come back.
        if (answer.status !== 401) screen.complain((await answer.json()).detail);
      }
    } catch {
      wait = waitAfterProblem;
    }
    if (next) await pause(wait);
  }
  if (screen.isEmpty) screen.say('Nothing was written.');
}

for (const pre of document.querySelectorAll('[data-output]')) showOutput(pre);
