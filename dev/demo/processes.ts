import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { environmentSchema } from '../../schemas/environment.ts'
import { readPackages } from '../../src/reference/packages.ts'
import { freePort } from '../servers/free-port.ts'
import { supervise } from '../servers/supervise.ts'
import { npm } from '../setup/run.mjs'
import { waitFor } from './wait-for.ts'

/** In seconds, much shorter than the default delays. */
export const retrySeconds = [1, 2, 3, 5, 8, 13, 21] as const

export type Service = Awaited<ReturnType<typeof startService>>

interface Servers {
  folder: string
  mongoUrl: string
  redisUrl: string
}

/** As in production. `endpointServer` is the host and port of the demo's endpoint server. */
export async function startService(servers: Servers, endpointServer: string) {
  const { folder } = servers
  // A new port each time, because npx would run its copy of an older command line with the same URL.
  const origin = await setEnvironment(servers, await freePort(), endpointServer)
  // The merchants' packages, which a service started afterwards serves.
  const [command, ...args] = npm(process.execPath, 'run', '--silent', 'client', '--', '--preview')
  await promisify(execFile)(command, args)
  const cli = readPackages().find(({ file }) => file.startsWith('payment-intents-mru-cli-'))
  const [web, worker] = await Promise.all([
    startProcess('web', 'src/server.ts', folder),
    startProcess('worker', 'workers/main.ts', folder),
  ])
  const mustRun = async (): Promise<void> => {
    await web.mustRun()
    await worker.mustRun()
  }
  return {
    origin,
    cliUrl: origin + cli?.path,
    web,
    worker,
    mustRun,
    async running(): Promise<never> {
      for (;;) {
        await mustRun()
        await sleep(500)
      }
    },
    stop: async () => void (await Promise.all([web.stop(), worker.stop()])),
  }
}

/** Sets the environment that the processes inherit, without the shell's own settings. Returns `web`'s origin. */
async function setEnvironment({ folder, mongoUrl, redisUrl }: Servers, port: number, endpointServer: string) {
  const origin = `http://127.0.0.1:${port}`
  for (const name of Object.keys(environmentSchema.properties)) delete process.env[name]
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

/** Kept beside the data, because another key could not read the stored keys and secrets. */
async function secretKey(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    const fresh = randomBytes(32).toString('base64')
    await writeFile(file, fresh, { mode: 0o600 })
    return fresh
  }
}

async function startProcess(name: string, source: string, folder: string) {
  const file = join(folder, `${name}.log`)
  const log = relative('.', file)
  await rm(file, { force: true })
  const supervised = supervise({ binary: process.execPath, args: [source], log: file, endSignal: 'SIGTERM' })
  await supervised.start()
  const { state } = supervised
  return {
    name,
    log,
    pid: state.pid,
    /** @throws {Error} with the last lines of the log if it has ended */
    async mustRun() {
      if (state.pid !== undefined) return
      const lines = (await readFile(file, 'utf8')).trim().split('\n').slice(-8)
      throw new Error(`${name} has ended (${state.ended}). The end of ${log}:\n${lines.join('\n')}`)
    },
    stop: supervised.end,
  }
}

export async function ready(service: Service): Promise<void> {
  await waitFor(`${service.origin}/readyz to say "ok" (its log is ${service.web.log})`, async () => {
    await service.mustRun()
    const response = await fetch(`${service.origin}/readyz`).catch(() => undefined)
    const { status } = ((await response?.json()) ?? {}) as { status?: string }
    return status === 'ok' || undefined
  })
}
