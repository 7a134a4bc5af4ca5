import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const holder = fileURLToPath(new URL('./hold-lock.mjs', import.meta.url))

/**
 * Runs `act` while one MongoDB server accepts no writes and has every acknowledged write on disk; reads continue. A process of its own
 * (hold-lock.mjs) holds the lock and releases it however this one ends. Requests that wait for more than some seconds get 503. `act` must
 * end when its signal aborts, because of `until` or because the lock is gone.
 * @throws {Error} also if it took longer than `longestMs`, after which the server is unlocked
 */
export async function whileLocked<Done>(
  mongodbUrl: string,
  longestMs: number,
  until: AbortSignal,
  act: (until: AbortSignal) => Promise<Done>,
): Promise<Done> {
  const child = spawn(process.execPath, [holder], {
    // The URL may contain a password, and the list of processes shows arguments: hence the environment. A process group of its own keeps
    // Ctrl-C from ending it before it has released the lock.
    env: { ...process.env, NODE_OPTIONS: '', MONGODB_URL: mongodbUrl, LONGEST_MS: String(longestMs) },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  // It may have ended by itself.
  child.stdin.on('error', () => undefined)
  const unlocked = new AbortController()
  const ended = once(child, 'exit').then(([code]) => {
    unlocked.abort(new Error('The lock ended before the backup was complete'))
    return code as number | null
  })
  const begun = await Promise.race([once(child.stdout, 'data'), ended])
  if (!Array.isArray(begun)) throw new Error('MongoDB could not be locked')
  const both = AbortSignal.any([until, unlocked.signal])
  const [acted] = await Promise.allSettled([act(both)])
  const isInVain = both.aborted
  child.stdin.end()
  const code = await ended
  if (isInVain) throw both.reason
  if (acted.status === 'rejected') throw acted.reason
  if (code !== 0) throw unlocked.signal.reason
  return acted.value
}
