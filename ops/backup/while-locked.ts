import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const holder = fileURLToPath(new URL('./hold-lock.mjs', import.meta.url))

/**
 * Does something while one MongoDB server takes no writes and has on disk all that it acknowledged; reads go on. The lock is held by a
 * process of its own (hold-lock.mjs), which lets go however this one ends. What waits for a lock of more than some seconds is
 * answered 503.
 * @throws {Error} also when it took longer than `longestMs`: then the server was unlocked before it was done
 */
export async function whileLocked<Done>(
  mongodbUrl: string,
  longestMs: number,
  act: () => Promise<Done>,
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
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const begun = await Promise.race([once(child.stdout, 'data'), ended])
  if (!Array.isArray(begun)) throw new Error('MongoDB could not be locked')
  const [acted] = await Promise.allSettled([act()])
  child.stdin.end()
  const code = await ended
  if (acted.status === 'rejected') throw acted.reason
  if (code !== 0) throw new Error('The lock ended before its work was done: this is no backup')
  return acted.value
}
