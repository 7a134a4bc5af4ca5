import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { environment } from '../../schemas/environment.ts'

/** The seven waits of the demo. A merchant's webhooks wait 30 s, 2 min, 15 min, 1 h, 4 h, 12 h and 24 h. */
export const retrySeconds = [1, 2, 3, 5, 8, 13, 21] as const

export interface Settings {
  /** Where the demo keeps its things. */
  folder: string
  mongoUrl: string
  redisUrl: string
  port: number
  /** host:port of the demo's receiver, which is neither public nor https. */
  receiver: string
}

/**
 * Makes this process's environment the service's: web, worker and the admin command line inherit it. What the shell
 * happens to set for another service (NODE_ENV, WORKER_QUEUES, …) is left out. Answers where `web` will be reached.
 */
export async function setEnvironment({
  folder,
  mongoUrl,
  redisUrl,
  port,
  receiver,
}: Settings): Promise<string> {
  const origin = `http://127.0.0.1:${port}`
  for (const name of Object.keys(environment.properties)) delete process.env[name]
  Object.assign(process.env, {
    PORT: String(port),
    PUBLIC_URL: origin,
    MONGODB_URL: mongoUrl,
    REDIS_URL: redisUrl,
    // Whoever else uses that Redis keeps jobs of their own.
    QUEUE_PREFIX: 'demo',
    SECRET_KEY: await secretKey(join(folder, 'secret-key')),
    WEBHOOK_ALLOWED_HOSTS: receiver,
    WEBHOOK_RETRY_SECONDS: retrySeconds.join(','),
  })
  return origin
}

/** Kept beside the data: with another key the next start could not read the keys and secrets that are in it. */
async function secretKey(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    const fresh = randomBytes(32).toString('base64')
    await writeFile(file, fresh, { mode: 0o600 })
    return fresh
  }
}
