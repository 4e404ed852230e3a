// Draws the charts of a page, and says below each which line is which.
'use strict';

const charts = new Map();

const dayMs = 86400 * 1000;

// As much of a moment as tells it from others of the time that is shown.
function tickText(ms, shownMs) {
  const text = timeText(new Date(ms));
  return shownMs <= dayMs ? text.slice(11) : text.slice(5, 16);
}

// Within a second there are several, which would say the same.
function dropEqualTicks(axis) {
  let last;
  axis.ticks = axis.ticks.filter(({ value }) => {
    const text = tickText(value, axis.max - axis.min);
    const isNew = text !== last;
    last = text;
    return isNew;
  });
}

function chartOptions() {
  const color = getComputedStyle(document.body).color;
  const line = getComputedStyle(document.documentElement).getPropertyValue('--line');
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  return {
    animation: still ? false : { duration: 200 },
    maintainAspectRatio: false,
    interaction: { mode: 'index', intersect: false },
    elements: { point: { radius: 0 } },
    scales: {
      x: {
        type: 'linear',
        grid: { color: line },
        afterBuildTicks: dropEqualTicks,
        ticks: {
          color,
          maxRotation: 0,
          callback(ms) { return tickText(ms, this.max - this.min); },
        },
      },
      y: { beginAtZero: true, grid: { color: line }, ticks: { color, precision: 0 } },
    },
    plugins: {
      // It would take the chart's room from a chart of many lines.
      legend: { display: false },
      tooltip: { callbacks: { title: (x) => timeText(new Date(x[0].parsed.x)) } },
    },
  };
}

// Lines that have one colour have different dashes, and neighbours differ in both.
const lineColors = 7;
const lineDashes = [[], [8, 4], [2, 3], [12, 3, 2, 3], [5, 3]];

function lineColor(i) {
  return getComputedStyle(document.documentElement)
    .getPropertyValue(`--chart-${i % lineColors}`).trim();
}

function pointsOf(line) {
  const result = line.points.map(([x, y]) => ({ x, y }));
  if (line.goes_on && result.length > 0)
    // Of a page that is old nothing goes on.
    result.push({
      x: (isOld ? heardAt.getTime() : Date.now()) - clockOffset,
      y: result[result.length - 1].y,
    });
  return result;
}

// Names of lines that the reader does not want to see, by chart.
const hiddenLines = new WeakMap();

function chartData(lines, hidden = new Set()) {
  return {
    datasets: lines.map((line, i) => ({
      label: line.name,
      hidden: hidden.has(line.name),
      data: pointsOf(line),
      stepped: line.stepped,
      borderColor: lineColor(i),
      backgroundColor: lineColor(i),
      borderDash: lineDashes[i % lineDashes.length],
      borderWidth: 2,
    })),
  };
}

// A piece of a line as the chart draws it.
function lineSample(i) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const line = document.createElementNS(svg.namespaceURI, 'line');
  for (const [name, value] of Object.entries({ x1: 0, y1: 5, x2: 40, y2: 5 }))
    line.setAttribute(name, value);
  line.setAttribute('stroke-dasharray', lineDashes[i % lineDashes.length].join(' '));
  line.style.stroke = `var(--chart-${i % lineColors})`;
  svg.setAttribute('aria-hidden', 'true');
  svg.append(line);
  return svg;
}

// Says below a chart which line is which; who clicks on one sees it no more, or again.
function nameLines(canvas, lines, hidden) {
  const list = canvas.closest('.chart').nextElementSibling;
  const names = [...list.children].map((x) => x.textContent);
  if (JSON.stringify(names) !== JSON.stringify(lines.map((x) => x.name)))
    list.replaceChildren(...lines.map(({ name }, i) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(lineSample(i), name);
      button.addEventListener('click', () => {
        if (!hidden.delete(name)) hidden.add(name);
        showCharts(list.parentElement);
      });
      const item = document.createElement('li');
      item.append(button);
      return item;
    }));
  for (const button of list.querySelectorAll('button'))
    button.setAttribute('aria-pressed', String(!hidden.has(button.textContent)));
}

function showCharts(root = document) {
  if (!window.Chart) return;
  for (const [canvas, chart] of charts)
    if (!canvas.isConnected) {
      chart.destroy();
      charts.delete(canvas);
    }
  for (const canvas of root.querySelectorAll('canvas[data-chart]')) {
    const lines = JSON.parse(canvas.dataset.chart);
    const old = charts.get(canvas);
    if (!hiddenLines.has(canvas)) hiddenLines.set(canvas, new Set());
    const hidden = hiddenLines.get(canvas);
    if (old) {
      old.data = chartData(lines, hidden);
      old.update();
    } else {
      charts.set(canvas, new Chart(canvas, {
        type: 'line', data: chartData(lines, hidden), options: chartOptions(),
      }));
    }
    nameLines(canvas, lines, hidden);
  }
}

function recolorCharts() {
  for (const [canvas, chart] of charts) {
    chart.options = chartOptions();
    chart.data = chartData(JSON.parse(canvas.dataset.chart), hiddenLines.get(canvas));
    chart.update('none');
  }
}
