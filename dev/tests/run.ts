// Runs a suite: `node dev/tests/run.ts test`, with optional file names and `--grep`. Worker processes (worker.ts) take
// test files from a queue, each the next one when it has finished one.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { endWithParent } from '../end-with-parent.mjs'
import { processorMs } from './processor-time.ts'
import { estimateMs, type FromWorker, filesOf, suites, type ToWorker } from './suites.ts'

/** A worker that is silent for this long is stuck, however busy the machine is. While a test runs, it says so. */
const silenceLimitMs = 10 * 60_000

endWithParent()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { grep: { type: 'string' }, workers: { type: 'string' } },
})
const [name = 'test', ...named] = positionals
const suite = suites[name]
/** How long each file took in the last run here: the longest start first, and the time left is known. */
const timesFile = `.data/test-times-${name}.json`
if (suite === undefined) throw new Error(`Name a suite: ${Object.keys(suites).join(', ')}`)

const began = performance.now()
const knownTimes = existsSync(timesFile) ? readFileSync(timesFile, 'utf8') : '{}'
const knownMs: Record<string, number> = JSON.parse(knownTimes)
const expectedMs = (file: string): number => knownMs[file] ?? estimateMs(file)
const queue = filesOf(suite, named).toSorted((one, other) => expectedMs(other) - expectedMs(one))
const fileCount = queue.length
const count = { passed: 0, failed: 0, skipped: 0, files: 0 }
const failures: string[] = []
const skipped: string[] = []
const tookMs: Record<string, number> = {}
const running = new Set<Worker>()
let stoppedBy: NodeJS.Signals | undefined

const slowness = watchSlowness(({ times }) => {
  for (const { child } of running) sendTo(child, { kind: 'slowness', times })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    stoppedBy = signal
    for (const { child } of running) child.kill('SIGTERM')
  })

const env = { ...dataInMemory(), ...process.env, TEST_ROUNDS: suite.rounds }
/** Collecting garbage rarely and without threads that wait for each other saves a tenth of the processor time. */
const execArgv = ['--max-semi-space-size=64', '--single-threaded-gc']
if (suite.compiles) Object.assign(env, { TEST_BUILD: (await import('../../test/support/built.ts')).built() })
const screen = setInterval(showProgress, process.stdout.isTTY ? 500 : 15_000)
const cores = availableParallelism()
const wanted = Number(values.workers ?? suite.workers?.(cores) ?? cores)
await Promise.all(Array.from({ length: Math.min(wanted, fileCount) }, work))
clearInterval(screen)
slowness.end()
report()

interface Worker {
  child: ChildProcess
  file: string | null
  saidAt: number
}

/** Keeps one worker process busy until the queue is empty. A process that dies is replaced. */
async function work(): Promise<void> {
  const isOver = () => queue.length === 0 || stoppedBy !== undefined
  while (!isOver()) await runWorker()
}

function runWorker(): Promise<void> {
  const child = fork(join(import.meta.dirname, 'worker.ts'), { env, execArgv })
  const worker: Worker = { child, file: null, saidAt: performance.now() }
  let isFinished = false
  running.add(worker)
  const watch = setInterval(() => {
    if (performance.now() - worker.saidAt > silenceLimitMs) child.kill('SIGKILL')
  }, 5000)
  child.on('error', () => undefined)
  child.on('message', (message: FromWorker) => {
    worker.saidAt = performance.now()
    if (message.kind === 'passed') count.passed++
    else if (message.kind === 'skipped') {
      count.skipped++
      skipped.push(message.title)
    } else if (message.kind === 'failed') fail(worker, message.text)
    else if (message.kind === 'finished') isFinished = true
    else if (message.kind !== 'alive') {
      if (message.kind === 'done' && worker.file !== null) {
        tookMs[worker.file] = message.ms
        count.files++
      }
      next(worker)
    }
  })
  return new Promise((done) => {
    child.once('exit', (code, signal) => {
      clearInterval(watch)
      running.delete(worker)
      const during = worker.file === null ? '' : ` during ${worker.file}`
      if (!isFinished && stoppedBy === undefined)
        fail(worker, `  The process ended (${signal ?? code})${during}`)
      // A process that can't even start would never empty the queue.
      if (!isFinished && worker.file === null) queue.length = 0
      done()
    })
  })
}

function next(worker: Worker): void {
  worker.file = queue.shift() ?? null
  if (worker.file === null) sendTo(worker.child, { kind: 'finish' })
  else {
    const isRepeat = named.length === 0 && suite?.repeats?.(worker.file) === true
    sendTo(worker.child, { kind: 'run', file: worker.file, grep: values.grep, isRepeat })
  }
}

function sendTo(child: ChildProcess, message: ToWorker): void {
  // A dying process may not read it any more. Its end is reported in any case.
  if (child.connected) child.send(message, () => undefined)
}

function fail({ file }: Worker, text: string): void {
  count.failed++
  const times = slowness.times().toFixed(1)
  const at = `${file ?? 'outside of the files'}, with the machine ${times} times slower than idle`
  failures.push(`  ${at}:\n${text}`)
  print(`✗ ${at}\n${text.split('\n').slice(0, 3).join('\n')}`)
}

function showProgress(): void {
  const leftMs = [...queue, ...[...running].flatMap(({ file }) => file ?? [])]
    .map(expectedMs)
    .reduce((sum, ms) => sum + ms, 0)
  const doneMs = Object.keys(tookMs).reduce((sum, file) => sum + expectedMs(file), 0)
  const elapsedMs = performance.now() - began
  const left = doneMs > 0 ? `, about ${Math.ceil((leftMs / doneMs) * (elapsedMs / 1000))} s left` : ''
  const now = [...running].flatMap(({ file }) => file ?? []).join(' ')
  const line = `${count.files} of ${fileCount} files, ${figures()}${left}  ${now}`
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line.slice(0, process.stdout.columns - 1)}`)
  else console.log(line)
}

function print(text: string): void {
  console.log(`${process.stdout.isTTY ? '\r\x1b[K' : ''}${text}`)
}

function figures(): string {
  const { passed, failed, skipped: left } = count
  return `${passed} passed, ${failed} failed${left > 0 ? `, ${left} skipped` : ''}`
}

function report(): void {
  if (stoppedBy !== undefined) {
    count.failed++
    failures.push(`  Stopped by ${stoppedBy} after ${count.files} of ${fileCount} files`)
  }
  mkdirSync('.data', { recursive: true })
  if (fileCount > 1) writeFileSync(timesFile, JSON.stringify({ ...knownMs, ...tookMs }))
  const whole = (ms: number) => Math.round(ms / 1000)
  print(
    `${whole(performance.now() - began)} s, and ${whole(processorMs(process.pid, true))} s of processor time. ` +
      `The machine was ${slowness.median().toFixed(1)} times slower than idle, at most ${slowness.most().toFixed(1)} times.`,
  )
  if (skipped.length > 0) console.log(`Skipped:\n${skipped.map((title) => `  ${title}`).join('\n')}`)
  if (failures.length > 0) console.log(`Failed:\n${failures.join('\n\n')}`)
  if (count.passed + count.failed === 0) console.log('No test ran.')
  console.log(figures())
  process.exitCode = count.failed > 0 || count.passed === 0 ? 1 : 0
}

/** In memory, creating a database is five times as fast. Docker's 64 MB are too little. */
function dataInMemory(): { SERVER_DATA_IN?: string } {
  if (!existsSync('/dev/shm')) return {}
  const { bavail, bsize } = statfsSync('/dev/shm')
  return bavail * bsize >= 4 * 1024 ** 3 ? { SERVER_DATA_IN: '/dev/shm' } : {}
}

/** Each second, a process computes for 10 ms, and compares the elapsed time with its processor time. */
function watchSlowness(onBeat: (now: { times: number }) => void) {
  const workMs = 10
  const all: number[] = []
  const times = (): number => Math.max(1, ...all.slice(-6))
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(process.execPath, ['test/support/beat.mjs', '1000'], { stdio: [...stdio] })
  createInterface({ input: child.stdout }).on('line', (line) => {
    all.push((workMs + JSON.parse(line).lateMs) / workMs)
    onBeat({ times: times() })
  })
  return {
    times,
    median: (): number => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 1,
    most: (): number => Math.max(1, ...all),
    end: (): void => void child.kill('SIGKILL'),
  }
}
