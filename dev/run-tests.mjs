// What `npm test` runs. The whole suite waits more than it computes (for MongoDB's journal, for processes that start and end), so it
// goes as three runs of mocha side by side, each with servers of its own. What is asked for in particular is one run.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { endWithParent } from './end-with-parent.mjs'

/** Two leave a fifth of two cores idle. */
const SIDE_BY_SIDE = 3

const asked = process.argv.slice(2)
const env = { ...serverData(), ...process.env }

endWithParent()
const runs = asked.length > 0 ? [start(asked)] : parts().map(start)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal))
// One after the other, so that each can be read; what a later one says waits until those before it have ended.
for (const run of runs) {
  run.show()
  await run.ended
}
if (runs.length > 1) console.log(figuresIn(runs.map(({ words }) => words.join('')).join('')))
process.exitCode = runs.map(({ child }) => child.exitCode ?? 1).find((code) => code !== 0) ?? 0

/**
 * The files dealt out as captains pick their teams, forth and back, so that each part has as much of every folder. Those that `ignore` in
 * .mocharc.json names mocha leaves out.
 */
function parts() {
  const files = readdirSync('test', { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .sort()
  const places = Array.from({ length: SIDE_BY_SIDE }, (_, place) => place)
  const turns = [...places, ...places.toReversed()]
  return places.map((place) => files.filter((_, index) => turns[index % turns.length] === place))
}

function start(args) {
  const color = process.stdout.isTTY ? ['--color'] : []
  const mocha = ['node_modules/mocha/bin/mocha.js', ...color, ...args]
  const child = spawn(process.execPath, mocha, { env, stdio: ['inherit', 'pipe', 'inherit'] })
  const words = []
  // Heard from the start: what nobody has read when a process ends is lost.
  child.stdout.setEncoding('utf8').on('data', (text) => words.push(text))
  const show = () => {
    process.stdout.write(words.join(''))
    child.stdout.on('data', (text) => process.stdout.write(text))
  }
  return { child, words, show, ended: once(child, 'close') }
}

function stop(signal) {
  // Ctrl-C at a terminal reaches them without us: twice could mean "at once" to them.
  if (signal !== 'SIGINT' || !process.stdin.isTTY) for (const { child } of runs) child.kill(signal)
}

/** The line that CI reads, of all runs together (test/support/reporter.ts). */
function figuresIn(text) {
  const figures = [...text.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)]
  const sum = (place) => figures.reduce((total, found) => total + Number(found[place] ?? 0), 0)
  const skipped = sum(3)
  return `${sum(1)} passed, ${sum(2)} failed${skipped ? `, ${skipped} skipped` : ''}`
}

/** Data of the servers in memory, where a database is created five times as fast. Docker's 64 MB would be too little. */
function serverData() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize >= 4 * 1024 ** 3 ? { SERVER_DATA_IN: '/dev/shm' } : {}
  } catch {
    return {}
  }
}
