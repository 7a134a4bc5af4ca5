import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const holder = fileURLToPath(new URL('./hold-lock.mjs', import.meta.url))

/**
 * Does something while one MongoDB server takes no writes and has on disk all that it acknowledged; reads go on. The lock is held by a
 * process of its own (hold-lock.mjs), which lets go however this one ends. What waits for a lock of more than some seconds is
 * answered 503. `act` is to end when its signal is aborted: by `until`, or because the lock is gone.
 * @throws {Error} also when it took longer than `longestMs`: then the server was unlocked before it was done
 */
export async function whileLocked<Done>(
  mongodbUrl: string,
  longestMs: number,
  until: AbortSignal,
  act: (until: AbortSignal) => Promise<Done>,
): Promise<Done> {
  const child = spawn(process.execPath, [holder], {
    // In the environment: the list of processes shows arguments, and the URL may have a password. A group of its own: Ctrl-C must
    // not reach it before it has let go.
    env: { ...process.env, NODE_OPTIONS: '', MONGODB_URL: mongodbUrl, LONGEST_MS: String(longestMs) },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  // It may have let go by itself.
  child.stdin.on('error', () => undefined)
  const unlocked = new AbortController()
  const ended = once(child, 'exit').then(([code]) => {
    unlocked.abort(new Error('The lock ended before its work was done: this is no backup'))
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
