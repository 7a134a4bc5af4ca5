import { freePort } from '../dev/servers/free-port.ts'
import { listening, startProcess } from './processes.ts'
import type { Bench } from './rounds.ts'

/**
 * Starts the bare route and the bare worker, which post a webhook for each create to every URL. `name`: the database.
 */
export async function startBareNotify(bench: Bench, name: string, urls: string[]) {
  const port = await freePort()
  const shared = { NODE_ENV: 'test', REDIS_URL: bench.redisUrl }
  const route = startProcess(bench.runtime, 'bare-notify-route', 'bench/bare/notify-route.ts', {
    ...shared,
    PORT: String(port),
    MONGODB_URL: bench.mongodbUrl(name),
  })
  const worker = startProcess(bench.runtime, 'bare-notify-worker', 'bench/bare/notify-worker.ts', {
    ...shared,
    URLS: urls.join(','),
  })
  await listening(port)
  return {
    origin: `http://127.0.0.1:${port}`,
    end: async () => void (await Promise.all([route.end(), worker.end()])),
  }
}
