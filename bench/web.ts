import { freePort } from '../dev/servers/free-port.ts'
import { listening, type Running, startProcess } from './processes.ts'
import type { Bench } from './rounds.ts'

/** A running process that serves HTTP. */
export interface Web extends Running {
  /** Scheme, host and port. */
  origin: string
}

export interface WebOf {
  /** The name of the log, the profile and the queue prefix. */
  name: string
  mongodbUrl: string
  secretKey: Buffer
  /** The path of the compiled program. By default, that of this version. */
  program?: string
}

/** Starts one `web` as in production, but without a rate limit. */
export const startWeb = (bench: Bench, { name, mongodbUrl, secretKey, program }: WebOf): Promise<Web> =>
  startServing(bench, name, program ?? bench.runtime.programs.web, {
    MONGODB_URL: mongodbUrl,
    REDIS_URL: bench.redisUrl,
    QUEUE_PREFIX: name,
    PUBLIC_URL: 'https://api.example',
    SECRET_KEY: secretKey.toString('base64'),
    RATE_LIMIT_PER_SECOND: '0',
  })

/** Starts a script that listens on PORT, with `NODE_ENV=production`. */
export async function startServing(
  { runtime }: Bench,
  name: string,
  script: string,
  environment: Record<string, string>,
): Promise<Web> {
  const port = await freePort()
  const running = startProcess(runtime, name, script, {
    NODE_ENV: 'production',
    METRICS_PORT: '0',
    PORT: String(port),
    ...environment,
  })
  await listening(port)
  return { ...running, origin: `http://127.0.0.1:${port}` }
}
