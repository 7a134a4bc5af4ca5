// Starts the output of `npm run build` on new servers, each process as in the Procfile. Both must become ready, and
// exit with 0 after SIGTERM.

import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { must, waitFor } from './demo/wait-for.ts'
import { freePort } from './servers/free-port.ts'
import { supervise } from './servers/supervise.ts'
import { startMongo, startRedis } from './servers.ts'

const procfile = await readFile('Procfile', 'utf8')
const [mongo, redis, port] = await Promise.all([startMongo(), startRedis(), freePort()])
const folder = await mkdtemp(join(tmpdir(), 'payment-intents-built-'))
const logOf = (name: string): string => join(folder, name)
Object.assign(process.env, {
  NODE_ENV: 'production',
  METRICS_PORT: '0',
  PORT: String(port),
  // Production refuses http. A proxy terminates https.
  PUBLIC_URL: 'https://api.example',
  PAY_URL: 'https://pay.example',
  MONGODB_URL: mongo.url,
  REDIS_URL: redis.url,
  SECRET_KEY: randomBytes(32).toString('base64'),
})

try {
  const release = await start('release')
  await waitFor('release has ended', () => release.state.ended || undefined)
  must(release.state.ended === '0', 'release exits with 0')
  const both = [await start('web'), await start('worker')]
  for (const path of ['/healthz', '/readyz'])
    await waitFor(`${path} is ok`, async () => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
      return response?.ok || undefined
    })
  await waitFor('worker has started', async () => {
    const log = await readFile(logOf('worker'), 'utf8')
    return log.includes('worker.started') || undefined
  })
  await Promise.all(both.map((each) => each.kill('SIGTERM')))
  for (const { state } of both) must(state.ended === '0', `it exits with 0 instead of ${state.ended}`)
  console.log('web and worker were ready, and exited with 0')
} finally {
  const logs = ['release', 'web', 'worker'].map((name) => readFile(logOf(name), 'utf8').catch(() => ''))
  for (const log of logs) console.log(await log)
  await Promise.all([mongo.stop(), redis.stop(), rm(folder, { recursive: true })])
}
process.exit()

async function start(name: string) {
  const line = new RegExp(`^${name}: node (.+)$`, 'm').exec(procfile)?.[1]
  if (!line) throw new Error(`The Procfile does not start ${name} with node`)
  console.log(`${name}: node ${line}`)
  const [args, log] = [line.split(' '), logOf(name)]
  const job = { binary: process.execPath, args, log, endSignal: 'SIGKILL' as const }
  const supervised = supervise(job)
  await supervised.start()
  return supervised
}
