// Runs one test file after another for run.ts, in one process, with one MongoDB and one Redis.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import Mocha from 'mocha'
import { endWithParent } from '../end-with-parent.mjs'
import { type FromWorker, hasRounds, type ToWorker } from './suites.ts'

/** A test that takes this many times its limit hangs. On a busy machine, it may take longer still. */
const stretchFactor = 4
/** Limits can't end a test that blocks this process, but run.ts can when the beats stop. */
const beatMs = 10_000
/** How long resources that a test has left open may take to close. */
const lingerMs = Number(process.env.TEST_LINGER_MS ?? 30_000)

const servers = pathToFileURL(resolve('test/support/servers.ts'))
const { begin, end, mochaHooks, setSlowness } = await import(servers.href)
let slowness = 1
/** The driver's timeouts grew with the machine's slowness, and the last of them may have begun when it was slowest. */
let slowest = 1
let isRunning = false
let isEnding = false
let openBefore: string[] = []
const left: { file: string; open: string[] }[] = []
const send = (message: FromWorker): void => void process.send?.(message)

endWithParent()
setInterval(() => (isRunning || isEnding) && send({ kind: 'alive' }), beatMs).unref()
process.on('message', (message: ToWorker) => {
  if (message.kind === 'slowness') noteSlowness(message.times)
  else if (message.kind === 'run') run(message).catch(die)
  else finish().catch(die)
})
process.on('uncaughtException', (error) => {
  // While a file runs, mocha fails its current test.
  if (!isRunning) send({ kind: 'failed', text: `  Thrown outside of a test:\n${error?.stack ?? error}` })
})
process.on('unhandledRejection', (reason) => {
  throw reason
})
start().catch(die)

function noteSlowness(times: number): void {
  slowness = times
  slowest = Math.max(slowest, times)
  setSlowness(times)
}

async function start(): Promise<void> {
  await begin()
  openBefore = process.getActiveResourcesInfo()
  send({ kind: 'ready' })
}

async function run({ file, grep, isRepeat }: ToWorker & { kind: 'run' }): Promise<void> {
  const began = performance.now()
  const mocha = new Mocha({
    timeout: 60_000,
    rootHooks: mochaHooks,
    reporter: Reporter,
    forbidOnly: true,
    ...(grep && { grep }),
  })
  mocha.addFile(resolve(file))
  try {
    await mocha.loadFilesAsync()
    if (isRepeat) keepRounds(mocha.suite)
    stretch(mocha.suite)
    isRunning = true
    await new Promise((done) => mocha.run(done))
  } catch (error) {
    send({ kind: 'failed', text: `  ${file} cannot be loaded:\n${(error as Error).stack}` })
  }
  isRunning = false
  // Mocha listens for exceptions until it's disposed, and every listener passes a rejection on to all others.
  mocha.dispose()
  const open = newlyOpen()
  if (open.length > 0) left.push({ file, open })
  send({ kind: 'done', ms: performance.now() - began })
}

/** An error of the runner itself. The process is replaced, and the run has failed. */
function die(error: Error): void {
  process.send?.({ kind: 'failed', text: `  ${error.stack}` } satisfies FromWorker, () => process.exit(1))
}

/** Leaves out tests without more rounds here. If only helpers of the file have any, all of its tests stay. */
function keepRounds(suite: Mocha.Suite): void {
  const kept = new Set<Mocha.Test>()
  suite.eachTest((test) => void (hasRounds(String(test.fn)) && kept.add(test)))
  const filter = (each: Mocha.Suite): void => {
    each.tests = each.tests.filter((test) => kept.has(test))
    each.suites.forEach(filter)
  }
  if (kept.size > 0) filter(suite)
}

/** Limits only end a test that hangs, so they say nothing about speed. */
function stretch(suite: Mocha.Suite): void {
  const hooks = ['_beforeAll', '_beforeEach', '_afterAll', '_afterEach'].flatMap(
    (name) => (suite as unknown as Record<string, Mocha.Hook[]>)[name] ?? [],
  )
  const timed = [suite, ...suite.tests, ...hooks]
  for (const each of timed) each.timeout(each.timeout() * stretchFactor * slowness)
  for (const inner of suite.suites) stretch(inner)
}

class Reporter extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    runner.on('pass', () => send({ kind: 'passed' }))
    runner.on('pending', (test) => send({ kind: 'skipped', title: test.fullTitle() }))
    runner.on('fail', (test) => send({ kind: 'failed', text: textOf(test) }))
  }
}

function textOf(test: Mocha.Test): string {
  const lines: string[] = []
  const { consoleLog } = Mocha.reporters.Base
  Mocha.reporters.Base.consoleLog = (...parts: unknown[]) => void lines.push(format(...parts))
  try {
    Mocha.reporters.Base.list([test])
  } finally {
    Mocha.reporters.Base.consoleLog = consoleLog
  }
  return lines
    .join('\n')
    .replace(/^\n?\s*1\) /, '  ')
    .trimEnd()
}

function newlyOpen(): string[] {
  const known = [...openBefore]
  return process.getActiveResourcesInfo().filter((name) => {
    const at = known.indexOf(name)
    if (at >= 0) known.splice(at, 1)
    return at < 0
  })
}

async function finish(): Promise<void> {
  isEnding = true
  await end()
  const deadline = performance.now() + lingerMs * slowest
  const isLeft = () => newlyOpen().length > 0 && performance.now() < deadline
  while (isLeft()) await new Promise((done) => setTimeout(done, 20))
  const open = newlyOpen()
  const first = left.find((each) => each.open.some((name) => open.includes(name)))
  if (open.length > 0)
    send({
      kind: 'failed',
      text: `  Left open at the end: ${open.join(', ')}. First seen after ${first?.file}`,
    })
  process.send?.({ kind: 'finished' } satisfies FromWorker, () => process.exit())
}
