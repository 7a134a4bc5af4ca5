import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/**
 * Returns the test key from the environment, or prompts for it without showing it.
 * @throws {Error} if it is not a secret test key
 */
export async function readKey(
  { env, stdin, stderr }: Pick<NodeJS.Process, 'env' | 'stdin' | 'stderr'>,
  signal: AbortSignal,
): Promise<string> {
  const given = env.PAYMENTS_API_KEY?.trim()
  if (given) return checked(given)
  if (!stdin.isTTY) throw new Error('Set PAYMENTS_API_KEY to a secret test key (sk_test_…).')
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  // From here on, the terminal doesn't show what is typed.
  const prompt = createInterface({ input: stdin, output: silent, terminal: true })
  stderr.write('Secret test key (sk_test_…, not shown): ')
  try {
    return checked(await nextLine(prompt, signal))
  } finally {
    prompt.close()
    stderr.write('\n')
  }
}

/** In a prompt, Ctrl-C arrives as one of the prompt's events, not as a signal. */
const nextLine = (prompt: ReturnType<typeof createInterface>, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const end = () => reject(new Error('No key was entered.'))
    prompt.once('line', (line) => resolve(line.trim()))
    prompt.once('close', end)
    signal.addEventListener('abort', end, { once: true })
  })

function checked(key: string): string {
  if (key.startsWith('sk_live_'))
    throw new Error(
      'This is a live key. Use a secret test key (sk_test_…), and keep live keys on your servers.',
    )
  if (key.startsWith('sk_test_')) return key
  throw new Error('This is not a secret test key. A secret test key begins with sk_test_.')
}
