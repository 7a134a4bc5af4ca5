import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startMongo, startRedis } from '../../dev/servers.ts'
import { parseConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { openJobQueues } from '../../src/queues/queues.ts'
import { openAdmin } from '../admin/admin.ts'
import { type Board, openBoard } from '../admin/open-board.ts'
import { temporaryFolder } from '../support/built.ts'
import { certificate, pem } from '../support/certificate.ts'
import { startCluster } from '../support/redis-cluster.ts'
import { startSentinels } from '../support/redis-sentinel.ts'
import { freshEnvironment, type Service } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { withServer } from '../support/with.ts'

const oneLine = pem.replaceAll('\n', '\\n')
const inBase64 = Buffer.from(pem).toString('base64')

describe('A service whose servers have a self-signed certificate', () => {
  const mongo = withServer(() => startMongo({ tls: certificate }))
  const redis = withServer(() => startRedis({ tls: certificate }))
  const sentinels = withServer(startSentinels)
  const cluster = withServer(startCluster)
  const mongodb = () => ({ MONGODB_URL: `${mongo.url}&tls=true`, MONGODB_TLS_CA: oneLine })
  const oneRedis = () => ({ REDIS_URL: redis.url })
  const kinds = {
    'a single Redis': () => ({ ...oneRedis(), REDIS_TLS_CA: inBase64, ...mongodb() }),
    'Redis Sentinel': () => ({ REDIS_URL: sentinels.url, REDIS_TLS_CA: certificate }),
    'a Redis Cluster': () => ({ REDIS_URL: cluster.url, REDIS_TLS_CA: pem }),
  }

  for (const [name, environment] of Object.entries(kinds))
    it(`retries a dead delivery with ${name}`, async () => {
      const board = await openBoard(environment())
      try {
        await expectRetry(board)
      } finally {
        await board.close()
      }
    })

  async function expectRetry(board: Board): Promise<void> {
    const { service, support, retry, deadDelivery, endpointServer } = board
    const dead = await deadDelivery()
    endpointServer.respondWith((res) => void res.end())
    expect((await retry(support, dead)).status).to.equal(204)
    const delivered = { _id: dead._id, status: 'DELIVERED' } as const
    await waitFor('delivered', () => service.deps.Delivery.exists(delivered))
    const { counts } = service.deps.queues
    await waitFor('no job left', async () => {
      const { active, failed } = (await counts.jobs()).get('webhook-delivery') ?? {}
      return active === 0 && failed === 0
    })
    expect((await counts.workers()).get('webhook-delivery')).to.equal(4)
    expect(await counts.memory()).to.include({ maxBytes: null, evicts: false })
    const { body } = await service.http.get('/readyz')
    expect(body).to.deep.equal({ status: 'ok', mongodb: 'up', redis: 'up' })
  }

  it('accepts connections from the command line and from backups', async () => {
    const { admin } = openAdmin({ deps: { config: { mongodbUrl: mongodb().MONGODB_URL } } } as Service)
    const create = ['business', 'create', '--name', 'Shop', '--json']
    expect((await admin(create)).exitCode).to.equal(1)
    const { exitCode, stderr } = await admin(create, { MONGODB_TLS_CA: oneLine })
    expect([exitCode, stderr]).to.deep.equal([0, ''])
    const folder = temporaryFolder()
    const program = ['ops/backup/main.ts', 'backup', join(folder, 'made')]
    await promisify(execFile)(process.execPath, [...program, '--data-files', mongo.folder], {
      env: { PATH: process.env.PATH, TMPDIR: folder, ...mongodb() },
    })
    const names = await readdir(folder)
    expect(names).to.include('made')
    expect(names.filter((name) => name.startsWith('payment-intents-'))).to.deep.equal([])
  })

  it('checks certificates as strictly as REDIS_TLS_VERIFY requires', async () => {
    const otherName = redis.url.replace('127.0.0.1', 'localhost')
    expect(await reaches({ REDIS_URL: redis.url })).to.equal(false)
    expect(await reaches({ REDIS_URL: redis.url, REDIS_TLS_CA: pem })).to.equal(true)
    expect(await reaches({ REDIS_URL: otherName, REDIS_TLS_CA: pem })).to.equal(false)
    expect(await reaches({ REDIS_URL: otherName, REDIS_TLS_CA: pem, REDIS_TLS_VERIFY: 'ca' })).to.equal(true)
    expect(await reaches({ REDIS_URL: otherName, REDIS_TLS_VERIFY: 'ca' })).to.equal(false)
    expect(await reaches({ REDIS_URL: otherName, REDIS_TLS_VERIFY: 'off' })).to.equal(true)
  })

  it("doesn't use a Redis that lacks the database in REDIS_URL", async () => {
    const own = { REDIS_TLS_CA: pem }
    expect(await reaches({ ...own, REDIS_URL: `${redis.url}/15` })).to.equal(true)
    const { queues, faults } = open({ ...own, REDIS_URL: `${redis.url}/99` })
    let readied = 0
    queues.whenReady(() => (readied += 1))
    await waitFor('a warning', () => faults.length > 0)
    expect(String(faults[0]?.err)).to.include('DB index is out of range')
    await rejected(queues.keepSchedule('retention', schedule))
    await rejected(queues.ping())
    expect(readied).to.equal(0)
    await queues.close()
  })

  it('waits for its first Redis connection without a warning', async () => {
    const { queues, faults } = open({ REDIS_URL: redis.url, REDIS_TLS_CA: pem })
    queues.enqueue('maintenance', [{ data: {}, jobId: 'first', delayMs: 0 }])
    await queues.keepSchedule('retention', schedule)
    await waitFor('the job', async () => (await queues.counts.jobs()).get('maintenance')?.waiting === 1)
    expect(faults).to.deep.equal([])
    await queues.close()
  })

  const schedule = { id: 'nightly', pattern: '0 0 3 * * *', tz: 'UTC' }
  const rejected = (work: Promise<unknown>) =>
    work.then(
      () => expect.fail('Redis was used'),
      () => undefined,
    )
  function open(environment: Record<string, string>) {
    const faults: { err?: unknown }[] = []
    const log = createLog('silent', 'test', null)
    log.warn = (fields: object) => void faults.push(fields)
    return { queues: openJobQueues(parseConfig(freshEnvironment(environment)), log), faults }
  }
  async function reaches(environment: Record<string, string>): Promise<boolean> {
    const { queues, faults } = open(environment)
    const ready = new Promise<void>((resolve) => queues.whenReady(resolve))
    let isReady = false
    void ready.then(() => (isReady = true))
    await waitFor('an outcome', () => isReady || faults.length > 0)
    await queues.close()
    return isReady
  }
})
