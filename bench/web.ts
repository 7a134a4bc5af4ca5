import { freePort } from '../dev/servers/free-port.ts'
import { listening, type Running, startProcess } from './processes.ts'
import type { Bench } from './rounds.ts'

/** A process that serves. */
export interface Web extends Running {
  /** Without path. */
  origin: string
}

export interface WebOf {
  /** Of its log, its profile and its queues. */
  name: string
  mongodbUrl: string
  secretKey: Buffer
}

/** Starts one `web` as in production. No rate limit: what is measured is not how soon it refuses. */
export const startWeb = (bench: Bench, { name, mongodbUrl, secretKey }: WebOf): Promise<Web> =>
  startServing(bench, name, bench.where.programs.web, {
    MONGODB_URL: mongodbUrl,
    REDIS_URL: bench.redisUrl,
    QUEUE_PREFIX: name,
    PUBLIC_URL: 'https://api.example',
    SECRET_KEY: secretKey.toString('base64'),
    RATE_LIMIT_PER_SECOND: '0',
  })

/** Starts a script that listens on PORT, with `NODE_ENV=production`. */
export async function startServing(
  { where }: Bench,
  name: string,
  script: string,
  environment: Record<string, string>,
): Promise<Web> {
  const port = await freePort()
  const running = startProcess(where, name, script, {
    NODE_ENV: 'production',
    PORT: String(port),
    ...environment,
  })
  await listening(port)
  return { ...running, origin: `http://127.0.0.1:${port}` }
}
