// Starts the build of `npm run build` on new servers, each process by its line of the Procfile. Both processes must
// become ready, and exit with 0 after SIGTERM.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './servers/free-port.ts'
import { startMongo, startRedis } from './servers.ts'

const READY_LIMIT_MS = 60_000

const procfile = await readFile('Procfile', 'utf8')
const [mongo, redis, port] = await Promise.all([startMongo(), startRedis(), freePort()])
const origin = `http://127.0.0.1:${port}`
const processes: ChildProcess[] = []

try {
  await end(start('release'))
  const [web, worker] = [start('web'), start('worker')]
  let output = ''
  worker.stdout.on('data', (bytes) => {
    output += bytes
  })
  await waitFor('web is healthy', () => isOk('/healthz'))
  await waitFor('web is ready', () => isOk('/readyz'))
  await waitFor('worker has started', () => output.includes('worker.started'))
  for (const child of [web, worker]) child.kill('SIGTERM')
  await Promise.all([end(web), end(worker)])
  console.log('web and worker were ready, and exited with 0')
} finally {
  for (const child of processes) child.kill('SIGKILL')
  await Promise.all([mongo.stop(), redis.stop()])
}

function start(name: string) {
  const line = new RegExp(`^${name}: node (.+)$`, 'm').exec(procfile)?.[1]
  if (!line) throw new Error(`The Procfile does not start ${name} with node`)
  console.log(`${name}: node ${line}`)
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    METRICS_PORT: '0',
    PORT: String(port),
    // Production refuses http. A proxy terminates https.
    PUBLIC_URL: 'https://api.example',
    PAY_URL: 'https://pay.example',
    MONGODB_URL: mongo.url,
    REDIS_URL: redis.url,
    SECRET_KEY: randomBytes(32).toString('base64'),
  }
  const child = spawn(process.execPath, line.split(' '), { env, stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.pipe(process.stdout, { end: false })
  processes.push(child)
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  if (child.exitCode !== 0) throw new Error(`${child.spawnargs.join(' ')}: ${child.signalCode ?? child.exitCode}`)
}

async function isOk(path: string): Promise<boolean> {
  const response = await fetch(origin + path).catch(() => undefined)
  return response?.ok ?? false
}

async function waitFor(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + READY_LIMIT_MS
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error(`Timed out: ${what}`)
    await sleep(50)
  }
}
