import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { showProgress } from './say.mjs'

const LOOK_EVERY_MS = 500

/**
 * Runs a program that can ask nothing and whose words are not shown.
 * `progress` says how far it is; a program that gets no further for `quietLimitMs` is ended.
 * @param {{ name: string, env?: object, cwd?: string, progress?: () => string, quietLimitMs?: number }} options
 * @returns {Promise<{ ok: boolean, why: string, words: string }>} `words`: all it said, `why`: the last of it
 */
export async function run(command, args, { name, env, cwd, progress = () => '', quietLimitMs = Infinity }) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const endToo = () => child.kill()
  process.once('exit', endToo)
  let words = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (words += bytes))

  const startedAt = Date.now()
  let last = { how: progress(), at: startedAt }
  const timer = setInterval(() => {
    const how = progress()
    if (how !== last.how) last = { how, at: Date.now() }
    if (Date.now() - last.at > quietLimitMs) child.kill('SIGKILL')
    showProgress(`${name} … ${how} ${Math.round((Date.now() - startedAt) / 1000)} s`)
  }, LOOK_EVERY_MS)
  try {
    const [code, signal] = await once(child, 'close')
    return { ok: code === 0, why: signal ? 'no answer in time' : lastLine(words), words }
  } catch (error) {
    return { ok: false, why: error.code === 'ENOENT' ? `no ${command} here` : error.message, words }
  } finally {
    clearInterval(timer)
    process.off('exit', endToo)
  }
}

function lastLine(words) {
  const line = words.trim().split('\n').at(-1) || 'it gave no reason'
  return line.trim().slice(0, 200)
}
