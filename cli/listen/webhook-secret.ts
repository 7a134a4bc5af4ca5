import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface WebhookSecret {
  /** 64 hexadecimal digits, like an endpoint's secret. */
  secret: string
  /** A file, or the name of a variable. */
  from: string
}

/**
 * Returns the secret that signs the forwarded webhooks. Each user of a machine has one secret, which stays the same
 * from run to run, so that the developer configures it only once.
 * @throws {Error} if the secret has the wrong form, or cannot be stored
 */
export async function readWebhookSecret(env: NodeJS.ProcessEnv, home: string): Promise<WebhookSecret> {
  const { WEBHOOK_SECRET: given, XDG_CONFIG_HOME: config } = env
  if (given) return { secret: checked(given, 'WEBHOOK_SECRET', 'Unset it'), from: 'WEBHOOK_SECRET' }
  const folder = join(config || join(home, '.config'), 'payment-intents')
  const file = join(folder, 'webhook-secret')
  const secret = (await stored(file)) ?? (await store(folder, file))
  return { secret: checked(secret, file, 'Delete the file'), from: file }
}

function checked(text: string, from: string, remedy: string): string {
  const secret = text.trim()
  if (/^[0-9a-f]{64}$/.test(secret)) return secret
  throw new Error(`${from} does not contain 64 hexadecimal digits. ${remedy} to use a new secret.`)
}

async function stored(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Creating the link fails if the file exists, so two first runs at the same time agree on one secret. */
async function store(folder: string, file: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = `${file}-${process.pid}`
  await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
  await link(draft, file).catch(() => undefined)
  await rm(draft)
  return readFile(file, 'utf8')
}
