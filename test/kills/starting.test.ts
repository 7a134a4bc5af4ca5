import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { freePort } from '../../dev/servers/free-port.ts'
import { startMongo } from '../../dev/servers.ts'
import { interruptAt, runToExit, type ServiceProcess, startProcess } from '../support/processes.ts'
import { withService } from '../support/service.ts'

const productionUrls = { PUBLIC_URL: 'https://api.example', PAY_URL: 'https://pay.example' }

describe('A starting process', () => {
  const service = withService()

  it('exits immediately and reports the error if MONGODB_URL is invalid', async () => {
    const urls = ['mongodb://localhost:99999/x', 'mongodb://a/x?noSuchOption=1', 'mongodb://127.0.0.1']
    const ends = (['web', 'worker', 'release'] as const).flatMap((type) =>
      urls.map((url) => runToExit(type, service, { MONGODB_URL: url })),
    )
    for (const { exitCode, stderr } of await Promise.all(ends)) {
      expect(exitCode).to.equal(1)
      expect(stderr.join()).to.include('MONGODB_URL')
    }
  })

  it('exits immediately in production with development settings', async () => {
    const changes = {
      NODE_ENV: 'production',
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      WEBHOOK_ALLOWED_HOSTS: 'localhost:4000',
    }
    const { exitCode, stderr } = await runToExit('web', service, changes)
    expect(exitCode).to.equal(1)
    expect(stderr).to.deep.equal([
      'The environment is not valid:',
      '  WEBHOOK_ALLOWED_HOSTS must not be set in production',
      '  PUBLIC_URL must use https in production',
      '  PAY_URL must use https in production',
      '  METRICS_TOKEN or METRICS_PORT must be set in production, because /metrics is not public',
      '  SECRET_KEY must not be a weak or example key in production (openssl rand -base64 32)',
    ])
  })

  it('exits in production and names release while a migration step is missing', async () => {
    const changes = {
      ...productionUrls,
      NODE_ENV: 'production',
      METRICS_PORT: String(await freePort()),
      SECRET_KEY: randomBytes(32).toString('base64'),
    }
    const end = async (type: 'web' | 'worker') => {
      const { exitCode, stdout } = await runToExit(type, service, changes)
      return [exitCode, stdout.filter((line) => line.includes('process.crashed')).join()]
    }
    await service.deps.Migration.deleteMany({})
    for (const [exitCode, crashed] of [await end('web'), await end('worker')]) {
      expect(exitCode, String(crashed)).to.equal(1)
      expect(crashed).to.include('lacks step 1').and.include('node dist/src/release.js')
    }
    expect(await service.deps.Migration.countDocuments()).to.equal(0)
    const releases = [1, 2].map(() => runToExit('release', service, changes))
    for (const { exitCode, stderr } of await Promise.all(releases))
      expect(exitCode, stderr.join()).to.equal(0)
    const started = await startProcess('web', service, changes)
    await started.stop()
  })

  it('exits if its port is in use, and logs the reason', async () => {
    const PORT = new URL(service.origin).port
    const ends = [runToExit('web', service, { PORT }), runToExit('worker', service, { WORKER_PORT: PORT })]
    for (const { exitCode, stdout, stderr } of await Promise.all(ends)) {
      expect([exitCode, stderr]).to.deep.equal([1, []])
      const last = JSON.parse(stdout.at(-1) ?? '')
      expect(last).to.include({ level: 'error', msg: 'process.crashed' })
      expect(last.err.code).to.equal('EADDRINUSE')
    }
  })

  it('serves metrics only on METRICS_PORT if it is set', async () => {
    const WORKER_PORT = String(await freePort())
    for (const type of ['web', 'worker'] as const) {
      const METRICS_PORT = String(await freePort())
      const { origin, kill, exited } = await startProcess(type, service, { WORKER_PORT, METRICS_PORT })
      const own = type === 'web' ? origin : `http://127.0.0.1:${WORKER_PORT}`
      const ready = await fetch(`${own}/readyz`)
      expect(await ready.json()).to.deep.equal({ status: 'ok', mongodb: 'up', redis: 'up' })
      expect((await fetch(`${own}/metrics`)).status).to.equal(404)
      const samples = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text()
      expect(samples).to.match(/^nodejs_eventloop_lag_p99_seconds /m)
      kill('SIGTERM')
      expect(await exited).to.equal(0)
    }
  })

  it('prints fatal errors to stderr even if its log level is silent', async () => {
    const program = `
      import { mongo } from 'mongoose'
      import { exitOnCrash } from './src/platform/stop.ts'
      import { createLog } from './src/platform/log.ts'
      exitOnCrash(createLog('silent', 'web', null))
      throw new mongo.MongoServerError({ code: 11000, message: 'dup key: { code: "hidden" }' })`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let stderr = ''
    child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()))
    const [exitCode] = await once(child, 'close')
    expect(exitCode, stderr).to.equal(1)
    expect(JSON.parse(stderr)).to.include({ name: 'MongoServerError', code: 11000 })
    expect(stderr).not.to.include('hidden')
  })

  it('exits immediately on SIGTERM while waiting for MongoDB', async () => {
    const changes = { MONGODB_URL: `mongodb://127.0.0.1:${await freePort()}/none` }
    const types = ['web', 'worker'] as const
    for (const ended of await Promise.all(
      types.map((type) => interruptAt('mongodb.waiting', type, service, changes)),
    )) {
      // Without a signal handler the code would be null, and a container's process 1 would ignore the signal.
      expect(ended.exitCode).to.equal(128 + 15)
      expect(ended.lastWords).to.include('process.stopping')
    }
  })

  it('exits immediately if MongoDB is not a replica set', async () => {
    const mongo = await startMongo({ as: 'standalone' })
    const types = ['web', 'worker', 'release'] as const
    for (const { exitCode, stdout, stderr } of await Promise.all(
      types.map((type) => runToExit(type, service, { MONGODB_URL: mongo.url })),
    )) {
      const printed = [...stdout, ...stderr].join()
      expect(exitCode, printed).to.equal(1)
      expect(printed).to.include('--replSet rs').and.include('rs.initiate()')
    }
    await mongo.stop()
  })

  it("warns if MongoDB keeps a killed process's locks for too long", async () => {
    const mongo = await startMongo({ lockSeconds: 60 })
    const ended = await interruptAt('mongodb.locks-too-long', 'web', service, { MONGODB_URL: mongo.url })
    expect(ended.lastWords).to.include('"seconds":60')
    await mongo.stop()
  })

  it('waits for a database that starts later', async () => {
    const port = await freePort()
    const url = `mongodb://127.0.0.1:${port}/late`
    const closed = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1')
    await once(closed, 'listening')
    const connected = once(closed, 'connection')
    const starting: Promise<ServiceProcess> = startProcess('worker', service, { MONGODB_URL: url })
    await connected
    await new Promise((resolve) => closed.close(resolve))
    const mongo = await startMongo({ port })
    const worker = await starting
    expect(worker.isAlive()).to.equal(true)
    await worker.stop()
    await mongo.stop()
  })
})
