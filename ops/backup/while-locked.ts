import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const holder = fileURLToPath(new URL('./hold-lock.mjs', import.meta.url))

/**
 * Runs `act` while one MongoDB server accepts no writes and has every acknowledged write on disk; reads continue. A
 * process of its own (hold-lock.mjs) holds the lock and releases it however this one ends. Requests that wait for more
 * than some seconds get 503. `act` must end when its signal aborts, because of `signal` or because the lock is gone.
 * @throws {Error} also if it took longer than `maxMs`, after which the server is unlocked
 */
export async function whileLocked<Done>(
  mongodbUrl: string,
  maxMs: number,
  signal: AbortSignal,
  act: (signal: AbortSignal) => Promise<Done>,
): Promise<Done> {
  const child = spawn(process.execPath, [holder], {
    // In the environment, because the URL may contain a password and the process list shows arguments. In its own
    // process group, so that Ctrl-C doesn't end it before it has released the lock.
    env: { ...process.env, NODE_OPTIONS: '', MONGODB_URL: mongodbUrl, LONGEST_MS: String(maxMs) },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  // The child process may have ended.
  child.stdin.on('error', () => undefined)
  const unlocked = new AbortController()
  const ended = once(child, 'exit').then(([code]) => {
    unlocked.abort(new Error('The lock ended before the backup was complete'))
    return code as number | null
  })
  const locked = await Promise.race([once(child.stdout, 'data'), ended])
  if (!Array.isArray(locked)) throw new Error('MongoDB could not be locked')
  const both = AbortSignal.any([signal, unlocked.signal])
  const [acted] = await Promise.allSettled([act(both)])
  const isAborted = both.aborted
  child.stdin.end()
  const code = await ended
  if (isAborted) throw both.reason
  if (acted.status === 'rejected') throw acted.reason
  if (code !== 0) throw unlocked.signal.reason
  return acted.value
}
