import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'

const POLL_MS = 500
// A terminal shows the progress in one line. A log gets a line every few seconds.
const LOG_EVERY_MS = 5000
let loggedAt = 0
const clear = () => (process.stderr.isTTY ? '\r\x1b[K' : '')

/** Writes to stderr, because stdout belongs to the command. */
export function say(line) {
  process.stderr.write(`${clear()}${line}\n`)
}

function showProgress(text) {
  if (process.stderr.isTTY) process.stderr.write(`${clear()}${text}`)
  else if (Date.now() - loggedAt >= LOG_EVERY_MS) {
    process.stderr.write(`${text}\n`)
    loggedAt = Date.now()
  }
}

/**
 * Returns the command line of the npm that runs this command, or of the one on the PATH.
 * @returns {[string, ...string[]]}
 */
export function npm(node, ...args) {
  const script = process.env.npm_execpath
  return script && basename(script).startsWith('npm') ? [node, script, ...args] : ['npm', ...args]
}

/**
 * Runs a program without input, and hides its output.
 * `progress` returns the state of the work. The program is killed if that state does not change for `quietLimitMs`.
 * @param {{ name: string, env?: object, cwd?: string, progress?: () => string, quietLimitMs?: number }} options
 * @returns {Promise<{ ok: boolean, why: string, output: string }>} `output`: the output, `why`: its last line
 */
export async function run(command, args, { name, env, cwd, progress = () => '', quietLimitMs = Infinity }) {
  const options = { cwd, env: { ...process.env, ...env } }
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const endChild = () => child.kill()
  process.once('exit', endChild)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))

  const startedAt = Date.now()
  let isStuck = false
  let last = { how: progress(), at: startedAt }
  const timer = setInterval(() => {
    const how = progress()
    if (how !== last.how) last = { how, at: Date.now() }
    if (Date.now() - last.at > quietLimitMs) isStuck = child.kill('SIGKILL')
    showProgress(`${name} … ${how} ${Math.round((Date.now() - startedAt) / 1000)} s`)
  }, POLL_MS)
  try {
    const [code, signal] = await once(child, 'close')
    const why = isStuck ? 'no progress in time' : signal ? `ended by ${signal}` : lastLine(output)
    return { ok: code === 0, why, output }
  } catch (error) {
    return { ok: false, why: error.code === 'ENOENT' ? `no ${command} here` : error.message, output }
  } finally {
    clearInterval(timer)
    process.off('exit', endChild)
  }
}

function lastLine(output) {
  const line = output.trim().split('\n').at(-1) || 'it gave no reason'
  return line.trim().slice(0, 200)
}
