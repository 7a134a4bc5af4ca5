// Runs the tests of `npm test`. Most of the time, the suite waits for MongoDB's journal and for processes that start or
// end. So it runs as three concurrent parts, each with its own servers. With arguments, there is one part.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { endWithParent } from './end-with-parent.mjs'

/** With two parts, a fifth of two cores is idle. */
const PARTS = 3

const given = process.argv.slice(2)
const env = { ...serverData(), ...process.env }

endWithParent()
const runs = given.length > 0 ? [start(given)] : distributeFiles().map(start)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal))
// Prints the output of one part after the other.
for (const run of runs) {
  run.show()
  await run.ended
}
if (runs.length > 1) console.log(figuresIn(runs.map(({ output }) => output.join('')).join('')))
process.exitCode = runs.map(({ child }) => child.exitCode ?? 1).find((code) => code !== 0) ?? 0

/**
 * Distributes the files in the order 1, 2, 3, 3, 2, 1, so that each part gets as much of every folder. Mocha skips the
 * files that `ignore` in .mocharc.json names.
 */
function distributeFiles() {
  const files = readdirSync('test', { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .sort()
  const parts = Array.from({ length: PARTS }, (_, part) => part)
  const order = [...parts, ...parts.toReversed()]
  return parts.map((part) => files.filter((_, index) => order[index % order.length] === part))
}

function start(args) {
  const color = process.stdout.isTTY ? ['--color'] : []
  const mocha = ['node_modules/mocha/bin/mocha.js', ...color, ...args]
  const child = spawn(process.execPath, mocha, { env, stdio: ['inherit', 'pipe', 'inherit'] })
  const output = []
  // Reads from the start, because unread output is lost when the process ends.
  child.stdout.setEncoding('utf8').on('data', (text) => output.push(text))
  const show = () => {
    process.stdout.write(output.join(''))
    child.stdout.on('data', (text) => process.stdout.write(text))
  }
  return { child, output, show, ended: once(child, 'close') }
}

function stop(signal) {
  // Ctrl-C at a terminal already reaches the children. A second signal could end them at once.
  if (signal !== 'SIGINT' || !process.stdin.isTTY) for (const { child } of runs) child.kill(signal)
}

/** Sums up the last lines of all parts (test/support/reporter.ts). CI reads the sum. */
function figuresIn(text) {
  const figures = [...text.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)]
  const sum = (group) => figures.reduce((total, found) => total + Number(found[group] ?? 0), 0)
  const skipped = sum(3)
  return `${sum(1)} passed, ${sum(2)} failed${skipped ? `, ${skipped} skipped` : ''}`
}

/**
 * Keeps the data of the servers in memory, where a database is created five times as fast. Docker's 64 MB are too
 * little.
 */
function serverData() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize >= 4 * 1024 ** 3 ? { SERVER_DATA_IN: '/dev/shm' } : {}
  } catch {
    return {}
  }
}
