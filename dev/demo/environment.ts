import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { environment } from '../../schemas/environment.ts'

/** The delays between the attempts in the demo, in seconds. They are much shorter than the default delays. */
export const retrySeconds = [1, 2, 3, 5, 8, 13, 21] as const

export interface Settings {
  /** The folder of the data and the logs. */
  folder: string
  mongoUrl: string
  redisUrl: string
  port: number
  /** host:port of the endpoint server of the demo, which is neither public nor https. */
  endpointServer: string
}

/**
 * Sets the environment of this process, which web, worker and the command line inherit. Removes variables of the shell
 * that would change the demo (NODE_ENV, WORKER_QUEUES, …). Returns the origin of `web`.
 */
export async function setEnvironment({ folder, mongoUrl, redisUrl, port, endpointServer }: Settings): Promise<string> {
  const origin = `http://127.0.0.1:${port}`
  for (const name of Object.keys(environment.properties)) delete process.env[name]
  Object.assign(process.env, {
    PORT: String(port),
    PUBLIC_URL: origin,
    MONGODB_URL: mongoUrl,
    REDIS_URL: redisUrl,
    // Keeps the jobs apart from those of other users of this Redis.
    QUEUE_PREFIX: 'demo',
    SECRET_KEY: await secretKey(join(folder, 'secret-key')),
    // A reader of the guide can also register their own server, which listens on port 4000.
    WEBHOOK_ALLOWED_HOSTS: `${endpointServer},127.0.0.1:4000,localhost:4000`,
    WEBHOOK_RETRY_SECONDS: retrySeconds.join(','),
  })
  return origin
}

/** The key is kept beside the data, because another key could not read the stored keys and secrets. */
async function secretKey(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    const fresh = randomBytes(32).toString('base64')
    await writeFile(file, fresh, { mode: 0o600 })
    return fresh
  }
}
