// Keeps a page as its server has it: sections that change arrive as they are to be, durations
// go on, times are those of the reader's clock. Without it a page is right as it was loaded.
'use strict';

const durationUnits = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];

function durationText(ms) {
  let seconds = Math.max(0, Math.floor(ms / 1000));
  const first = durationUnits.findIndex(([, size]) => seconds >= size);
  if (first < 0) return '0 s';
  return durationUnits.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    return [count, unit];
  }).filter(([count], i) => i === 0 || count > 0)
    .map(([count, unit]) => `${count} ${unit}`).join(' ');
}

// How far the reader's clock is from the server's.
let clockOffset = 0;

// What stands here is from before: nothing goes on that is not known to.
let isOld = false;

function showDurations(root = document, at = Date.now()) {
  if (isOld) return;
  const now = at - clockOffset;
  for (const x of root.querySelectorAll('[data-since]')) {
    const text = durationText(now - Number(x.dataset.since));
    if (x.textContent !== text) x.textContent = text;
  }
}

// As the command line shows a time, by the reader's clock: "2026-11-25 19:17:19".
function timeText(time) {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60000)
    .toISOString().slice(0, 19).replace('T', ' ');
}

// How far the reader's clock is from UTC: "+01:00", or "Z".
function zoneText(time) {
  const ahead = -time.getTimezoneOffset();
  const twoDigits = (x) => String(x).padStart(2, '0');
  const minutes = Math.abs(ahead);
  return ahead === 0 ? 'Z'
    : `${ahead < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

function showTimes(root = document) {
  for (const x of root.querySelectorAll('time[datetime]')) {
    const time = new Date(x.getAttribute('datetime'));
    if (!Number.isNaN(time.getTime())) {
      x.title = x.getAttribute('datetime');
      // In a table the zone would be always the same.
      x.textContent = timeText(time) + (x.closest('td') ? '' : zoneText(time));
    }
  }
}

// What stands here is of that time.
function showAge(ms) {
  const time = document.querySelector('footer time');
  const text = `${new Date(ms).toISOString().slice(0, 19)}Z`;
  if (time.getAttribute('datetime') === text) return;
  time.setAttribute('datetime', text);
  showTimes(time.parentElement);
}

// -- live sections ------------------------------------------------------------

// Makes `to` what `from` is, and leaves what is the same where it stands: who reads, marks text
// or goes through links by keyboard is not disturbed.
function become(to, from) {
  if (to.nodeType !== Node.ELEMENT_NODE || from.nodeType !== Node.ELEMENT_NODE
      || to.tagName !== from.tagName || to.id !== from.id
      || to.dataset.output !== from.dataset.output) {
    to.replaceWith(from.cloneNode(true));
    return;
  }
  if (to.dataset.output !== undefined) return;
  for (const { name } of [...to.attributes])
    // What the reader has opened stays open.
    if (!from.hasAttribute(name) && to.tagName !== 'CANVAS' && name !== 'open')
      to.removeAttribute(name);
  for (const { name, value } of [...from.attributes])
    if (to.getAttribute(name) !== value) to.setAttribute(name, value);
  // Filled in here.
  if (to.dataset.since !== undefined || to.matches('canvas, .chart-lines')) return;
  if (to.childElementCount === 0 && from.childElementCount === 0) {
    if (to.tagName !== 'TIME' && to.textContent !== from.textContent)
      to.textContent = from.textContent;
    return;
  }
  if (to.tagName === 'TBODY') becomeRows(to, from);
  else becomeChildren(to, from);
}

function becomeChildren(to, from) {
  const wanted = [...from.childNodes];
  while (to.childNodes.length > wanted.length) to.lastChild.remove();
  wanted.forEach((node, i) => {
    const present = to.childNodes[i];
    if (!present) to.append(node.cloneNode(true));
    else if (present.nodeType === Node.TEXT_NODE && node.nodeType === Node.TEXT_NODE) {
      if (present.data !== node.data) present.data = node.data;
    } else become(present, node);
  });
}

// Rows have keys, so that one that comes or goes leaves the others as they are.
function becomeRows(to, from) {
  const rows = [...from.children];
  const focused = to.contains(document.activeElement) ? document.activeElement : null;
  const wanted = new Set(rows.map((row) => row.dataset.key));
  // First, so that those behind them stand where they are to be.
  for (const row of [...to.children])
    if (!wanted.has(row.dataset.key)) row.remove();
  const present = new Map([...to.children].map((row) => [row.dataset.key, row]));
  let place = to.firstElementChild;
  for (const row of rows) {
    const old = present.get(row.dataset.key);
    if (!old) {
      const added = row.cloneNode(true);
      added.classList.add('changed');
      to.insertBefore(added, place);
      continue;
    }
    if (old === place) place = place.nextElementSibling;
    else to.insertBefore(old, place);
    become(old, row);
  }
  // A row that has another place has lost it.
  if (focused && focused !== document.activeElement && to.contains(focused))
    focused.focus({ preventScroll: true });
}

function showSection({ id, html }) {
  const section = document.getElementById(id);
  if (!section || section.dataset.live === undefined) return;
  const wanted = section.cloneNode(false);
  wanted.innerHTML = html;
  becomeChildren(section, wanted);
  showTimes(section);
  showDurations(section);
  showCharts(section);
}

// -- following ----------------------------------------------------------------

// A browser has six connections to a server, for all its windows together. So many of them
// are held for what changes; pages beyond that look now and then.
const heldConnections = 3;

const lookEvery = 3000;
const lookAgainAfter = 2000;
const signedOutPause = 15000;

// A connection outlives the session that it began with, and others may have their turn.
const holdMax = 30000;

// The server says something every 10 s.
const silenceMax = 25000;

// Before a page that nobody saw for longer than that is old, once somebody does.
const firstWordPatience = 2000;
const answerPatience = 10000;

const badge = document.getElementById('master-status');

// Others stay as they were asked for, and only say what becomes of their master.
const isLive = document.querySelector('[data-live]') !== null;

// As the page was made for it.
let masterStatus = badge.textContent;

const readerText = (name, hasSession) => JSON.stringify([name, hasSession]);

// For whom a page was made.
function readerOf(page) {
  const { name, session } = page.getElementById('reader').dataset;
  return readerText(name, session !== undefined);
}

let reader = readerOf(document);

// What it was loaded again for has come.
if (history.state?.loadedFor === reader) history.replaceState(null, '');

let heardAt = new Date();

// The same, or when the server said last that its master is busy.
let saidAt = heardAt;
let isSignedOut = false;

function takeWhetherSignedOut(isSo) {
  isSignedOut = isSo;
  document.body.classList.toggle('is-signed-out', isSo);
}

// Why there is nothing to show any more of what this page is of; empty: there is.
let whyMissing = '';

const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

// Whether somebody may not see it, whom the server does not know (401), or knows otherwise than
// by a session that has ended (403).
const isRefused = (answer) => answer.status === 401 || answer.status === 403;

// What a page says that says only why there is no other.
function reasonOf(answer, page) {
  const sentence = page.querySelector('#sentence');
  return sentence ? sentence.textContent.trim() : answer.statusText;
}

function untilVisible() {
  if (!document.hidden) return Promise.resolve();
  return new Promise((done) => {
    document.addEventListener('visibilitychange', function shown() {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', shown);
      done();
    });
  });
}

// Says why what stands here may be old.
// `word` is what is known of the master instead of its state.
function showNote(text, word = '') {
  const note = document.getElementById('lost');
  if (note.textContent !== text) note.textContent = text;
  badge.textContent = word || masterStatus;
  badge.className = `badge state-${word ? 'unknown' : masterStatus}`;
}

// The same where it is old for certain: no state is shown as if it were known.
function showThatItIsOld(text, word) {
  // They went on until it was noticed.
  showDurations(document, heardAt.getTime());
  isOld = true;
  document.body.classList.add('is-old');
  showNote(text, word);
}

// What stands here is as the master has it.
function showThatItIsNew() {
  isOld = false;
  document.body.classList.remove('is-old');
  showNote('');
}

// What the master knows, or that it knows nothing of this.
function showWhatIsKnown() {
  if (whyMissing) showThatItIsOld(whyMissing);
  else showThatItIsNew();
}

function showUnreached() {
  showThatItIsOld(`The master is not reached since ${timeText(heardAt).slice(11)}. `
    + 'What stands here is from then. Trying again.', 'not reached');
}

let silenceTimer;

// Shows what has become old of a page that somebody sees, whatever it waits for: one that nobody
// saw has heard nothing meanwhile, however long that was.
function watchSilence(patience = 0) {
  clearTimeout(silenceTimer);
  if (document.hidden) return;
  const left = () => silenceMax - (Date.now() - saidAt.getTime());
  silenceTimer = setTimeout(() => {
    // Of who is refused it is known why, and he asks seldom.
    if (left() <= 0 && !isSignedOut) showUnreached();
    watchSilence(lookEvery);
  }, Math.max(left(), patience));
}

function takeTime(now) {
  // Of a page that was asked for it is known to the second.
  if (Math.abs(Date.now() - now - clockOffset) > 1500) clockOffset = Date.now() - now;
  showAge(now);
}

// The pages of a master that leads, and of one that stands by, are different ones.
function takeStatus(status) {
  heardAt = saidAt = new Date();
  takeWhetherSignedOut(false);
  if ((status === 'STANDBY') !== (masterStatus === 'STANDBY')) location.reload();
  masterStatus = status;
}

// When somebody went to another page last, in ms since 1970. He may still be here.
let leftAt = 0;
addEventListener('beforeunload', () => { leftAt = Date.now(); });

// A page is made for who reads it: its foot names him, and it offers what he may do.
// One that was loaded again for somebody, and is no other, stays as it is.
function isOfAnother(now) {
  // Who signs out is on his way: a page that loads itself would hold him back.
  return Date.now() - leftAt >= answerPatience
    && now !== reader && history.state?.loadedFor !== now;
}

function takeReader(page) {
  const now = readerOf(page);
  if (!isOfAnother(now)) return;
  if (isLive) {
    history.replaceState({ loadedFor: now }, '');
    location.reload();
    return;
  }
  // Another one may hold what was filled in.
  document.getElementById('reader').innerHTML = page.getElementById('reader').innerHTML;
  reader = now;
}

function takePage(answer, page) {
  takeStatus(page.getElementById('master-status').textContent);
  if (!answer.ok && !document.getElementById('sentence')) {
    whyMissing = reasonOf(answer, page);
    showWhatIsKnown();
    return;
  }
  if (answer.ok) takeReader(page);
  whyMissing = '';
  showWhatIsKnown();
  takeTime(Date.parse(page.querySelector('footer time').getAttribute('datetime')));
  for (const { id, innerHTML } of page.querySelectorAll('section[data-live]'))
    showSection({ id, html: innerHTML });
}

// Asks for the page as a whole.
async function look() {
  try {
    const answer = await fetch(isLive ? location.href : '/', {
      headers: { Accept: 'text/html' }, signal: AbortSignal.timeout(answerPatience),
    });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    takeWhetherSignedOut(isRefused(answer));
    if (isSignedOut)
      showThatItIsOld('You are not signed in any more; open a new link (stoker web). '
        + reasonOf(answer, page), 'not signed in');
    else if (page.getElementById('master-status')) takePage(answer, page);
    else showUnreached();
  } catch {
    showUnreached();
  }
}

// Takes what changes, until the connection breaks, nobody sees the page, or its turn is over.
function stream() {
  return new Promise((done) => {
    // A master that stands by has nothing to tell but that.
    const page = isLive && masterStatus !== 'STANDBY'
      ? location.pathname + location.search : '/';
    const source = new EventSource(`/live?page=${encodeURIComponent(page)}`);
    const turn = setTimeout(end, holdMax);
    let timer;
    function end() {
      clearTimeout(turn);
      clearTimeout(timer);
      source.close();
      document.removeEventListener('visibilitychange', end);
      done();
    }
    function waitForMore() {
      clearTimeout(timer);
      timer = setTimeout(end, silenceMax);
    }
    function hear() {
      waitForMore();
      saidAt = new Date();
    }
    source.addEventListener('section', (event) => {
      hear();
      heardAt = saidAt;
      if (whyMissing) {
        whyMissing = '';
        showWhatIsKnown();
      }
      showAge(Date.now() - clockOffset);
      showSection(JSON.parse(event.data));
    });
    source.addEventListener('missing', (event) => {
      hear();
      heardAt = saidAt;
      whyMissing = JSON.parse(event.data).why;
      showWhatIsKnown();
    });
    source.addEventListener('status', (event) => {
      hear();
      const {
        status, now, reader: name, has_session: hasSession,
      } = JSON.parse(event.data);
      clockOffset = Date.now() - now;
      if (status) {
        takeStatus(status);
        showWhatIsKnown();
        showAge(now);
        // The page as a whole is asked for next, and says what he reads.
        if (isOfAnother(readerText(name, hasSession))) end();
      } else {
        showNote('The master is busy, and does not answer. What stands here may be older.',
          'busy');
      }
    });
    source.addEventListener('error', end);
    document.addEventListener('visibilitychange', end);
    waitForMore();
  });
}

// Does something while one of the few connections is this page's. False: all are taken.
async function whileHolding(work) {
  for (let i = 0; i < heldConnections && navigator.locks; ++i) {
    const isDone = await navigator.locks.request(
      `stoker-connection-${i}`, { ifAvailable: true },
      async (lock) => {
        if (lock) await work();
        return lock !== null;
      });
    if (isDone) return true;
  }
  return false;
}

async function follow() {
  document.addEventListener('visibilitychange', () => watchSilence(firstWordPatience));
  watchSilence();
  for (;;) {
    await untilVisible();
    // Who is refused is so at each address.
    const held = !isSignedOut && await whileHolding(stream);
    if (document.hidden) continue;
    await look();
    await pause(isSignedOut ? signedOutPause : held ? lookAgainAfter : lookEvery);
  }
}

showTimes();
showDurations();
showCharts();
setInterval(() => showDurations(), 1000);
setInterval(() => { if (!isOld) showCharts(); }, 10000);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolorCharts);
if (isLive || document.querySelector('form.plan')) follow();
