import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Server, startMongo } from '../../dev/servers.ts'
import { backUp } from '../../ops/backup/back-up.ts'
import { readBooks } from '../../ops/backup/books.ts'
import { drill } from '../../ops/backup/drill.ts'
import { hasTools, wholeServer } from '../../ops/backup/dump.ts'
import { type Note, readNote } from '../../ops/backup/note.ts'
import { restore } from '../../ops/backup/restore.ts'
import { withServer } from '../../ops/backup/server.ts'
import { whileLocked } from '../../ops/backup/while-locked.ts'
import { collections } from '../../src/collections.ts'
import { createSecrets } from '../../src/secrets.ts'
import { createAccount } from '../../src/staff/create-account.ts'
import { atShell } from '../admin/staff.ts'
import {
  attempt,
  cancelIntent,
  createIntent,
  freshDelivery,
  readIntent,
  relay,
  subscribe,
} from '../support/acts.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'
import { pay, refund, simulate } from '../support/pay.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { createProduct } from '../support/store.ts'
import { until } from '../support/until.ts'

/** Every way of taking one that this machine has. */
const ways = hasTools() ? (['files', 'dump'] as const) : (['files'] as const)

describe('a backup', () => {
  let mongo: Server
  let house: House
  let merchant: Merchant
  let receiver: Receiver
  let folder: string
  const opened: { close(): Promise<unknown> }[] = []
  const create = (key: string) =>
    fetch(`${house.origin}/api/v1/dev/intents`, {
      method: 'POST',
      headers: { ...merchant.write(key), 'Content-Type': 'application/json' },
      body: '{"amount":100}',
    })

  before(async () => {
    ;[mongo, receiver, folder] = await Promise.all([
      startMongo(),
      startReceiver(),
      mkdtemp(join(tmpdir(), 'payment-intents-backups-')),
    ])
    house = await openHouse({ MONGODB_URL: mongo.url })
    opened.push(house)
    merchant = await house.merchant()
  })
  after(async () => {
    await Promise.all(opened.map((each) => each.close()))
    await Promise.all([mongo.stop(), receiver.close(), rm(folder, { recursive: true })])
  })

  it('lets the server take writes again when it fails, when it is killed, and when it takes too long', async () => {
    const takesWrites = () => createIntent(house, merchant)
    const fault = await backUp(mongo.url, join(folder, 'none'), folder).catch((error: Error) => error)
    expect(fault).to.be.an('error').with.property('message').that.includes('not the data folder')
    await takesWrites()
    await readNote(join(folder, 'none')).then(
      () => expect.fail('it is no backup'),
      (error: Error) => expect(error.message).to.include('no complete backup'),
    )

    const forever = `import { whileLocked } from './ops/backup/while-locked.ts'
      await whileLocked(process.env.URL, 60_000, () => new Promise(() => setInterval(() => {}, 1000)))`
    const killed = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', forever], {
      env: { PATH: process.env.PATH, URL: mongo.url },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    await until('it is locked', isLocked)
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    await takesWrites()

    const late = await whileLocked(mongo.url, 100, () =>
      until('it is unlocked', async () => !(await isLocked())),
    ).catch((error: Error) => error)
    expect(late).to.be.an('error').with.property('message').that.includes('no backup')
    await takesWrites()
  })

  for (const way of ways)
    it(`taken by ${way} under traffic, restored after the server is gone: the same books, and the service goes on`, async function () {
      // It copies some hundred megabytes, most of them room for the journal.
      this.timeout(60_000)
      const filled = await fill()
      const before = await allDocuments(mongo.url)
      // Merchants go on meanwhile, each with the next one as soon as it was answered.
      const acknowledged: { referenceNumber: string; at: number }[] = []
      const traffic = { goesOn: true }
      const customers = Array.from({ length: 4 }, async () => {
        while (traffic.goesOn) {
          const answer = await create(`${way}-${acknowledged.length}-${Math.random()}`)
          if (answer.status !== 201) continue
          const { data } = (await answer.json()) as { data: { referenceNumber: string } }
          acknowledged.push({ ...data, at: Date.now() })
        }
      })
      await until('some traffic', () => acknowledged.length > 20)
      const taken = backUp(mongo.url, join(folder, way), way === 'files' ? mongo.folder : null)
      await Promise.all([taken, until('writes wait meanwhile', isLocked)])
      const note = await taken
      const during = acknowledged.length
      await until('traffic goes on', () => acknowledged.length > during + 20)
      traffic.goesOn = false
      await Promise.all(customers)
      const inTime = acknowledged.filter(({ at }) => at < Date.parse(note.takenAt))
      expect(inTime.length).to.be.within(20, acknowledged.length - 20)

      await mongo.stop()
      const restored = await bringBack(way, note)
      const after = await allDocuments(restored.url)
      expect([...before].filter((document) => !after.has(document))).to.deep.equal([])
      const found = await withServer(restored.url, (client) =>
        client
          .db()
          .collection('intents')
          .find({}, { projection: { referenceNumber: 1 } })
          .toArray(),
      )
      const references = new Set(found.map(({ referenceNumber }) => referenceNumber))
      expect(inTime.filter(({ referenceNumber }) => !references.has(referenceNumber))).to.deep.equal([])

      // Redis comes back empty: this house has queues of its own.
      const again = await openHouse({ MONGODB_URL: restored.url })
      opened.push(again, { close: () => restored.stop() })
      house = again
      const replay = await create(filled.key)
      expect([replay.status, replay.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true'])
      expect(await replay.text()).to.equal(filled.answer)
      await pay(again, filled.pending)
      expect((await readIntent(again, merchant, filled.pending)).status).to.equal('PAID')
      again.allowHost(receiver.host)
      const arrived = receiver.received.length
      again.startWorkers()
      const due = await until('what was due is delivered', () =>
        receiver.received.slice(arrived).find(({ json }) => json.id === filled.due._id),
      )
      expect(due.body).to.equal(filled.due.body)
    })

  it('can be tried without disturbing anybody, and tells whether SECRET_KEY belongs to it', async () => {
    const { secrets, log } = house.deps
    const tried = await drill(join(folder, 'files'), 'payment_intents', secrets, log)
    expect(tried.counts).to.include({ orders: 1, products: 1, webhookendpoints: 1, staff: 1 })
    expect(tried.counts.intents).to.be.greaterThan(25)
    expect(tried.keyOpens).to.equal(true)
    expect(Date.parse(String(tried.newestIntentAt))).to.be.closeTo(Date.parse(tried.takenAt), 2000)
    const another = createSecrets([Buffer.alloc(32)])
    expect(await readBooks(house.deps.config.mongodbUrl, another, log)).to.include({ keyOpens: false })
  })

  it('is never restored over anything', async () => {
    const where = { mongodbUrl: null, dataFiles: folder }
    const fault = await restore(join(folder, 'files'), where).catch((error: Error) => error)
    expect(fault).to.be.an('error').with.property('message').that.includes('is not empty')
    expect(await readdir(folder)).to.not.include('WiredTiger')
  })

  it('by mongodump is one of the whole server, which it signs in to as before', () => {
    expect(wholeServer('mongodb://a:1,b:2/pi?replicaSet=rs')).to.equal('mongodb://a:1,b:2/?replicaSet=rs')
    expect(wholeServer('mongodb+srv://u:p@a/pi')).to.equal('mongodb+srv://u:p@a/?authSource=pi')
    expect(wholeServer('mongodb://u:p@a/pi?authSource=admin')).to.equal('mongodb://u:p@a/?authSource=admin')
    expect(wholeServer('mongodb://a')).to.equal('mongodb://a/')
  })

  const isLocked = (): Promise<boolean> =>
    withServer(
      mongo.url,
      async (client) => (await client.db('admin').command({ currentOp: 1 })).fsyncLock === true,
    )

  /** Intents of each status, what belongs to them, and the rest that merchants, staff and wallets have. */
  async function fill() {
    await subscribe(house, merchant, receiver.url)
    const answer = await create('before')
    const [pending, paid, refunded, cancelled, failed] = await Promise.all([
      createIntent(house, merchant),
      createIntent(house, merchant),
      createIntent(house, merchant),
      createIntent(house, merchant),
      createIntent(house, merchant, { amount: 99_901 }),
    ])
    await Promise.all([
      pay(house, paid.referenceNumber),
      simulate(house, merchant, refunded.referenceNumber),
      cancelIntent(house, merchant, cancelled.referenceNumber),
      simulate(house, merchant, failed.referenceNumber),
    ])
    await refund(house, merchant, refunded.referenceNumber, 20_000)
    await createProduct(house, merchant)
    const order = house.http.post('/api/v1/dev/store/orders/simulate')
    await order.set(merchant.write()).send({}).expect(201)
    await createAccount(house.deps, { name: 'awa', role: 'support' }, atShell)
    const delivered = await freshDelivery(house, merchant)
    await attempt(house.deps, delivered._id)
    await until('how it went is noted', () =>
      house.deps.Endpoint.exists({ 'health.lastSuccessAt': { $ne: null } }),
    )
    await until('and counted', () => house.deps.DeliveryHour.exists({}))
    const due = await freshDelivery(house, merchant)
    await relay(house, merchant)
    return { key: 'before', answer: await answer.text(), pending: pending.referenceNumber, due }
  }

  async function bringBack(way: Note['kind'], note: Note): Promise<Server> {
    expect(await readNote(join(folder, way))).to.deep.equal(note)
    const dataDir = join(folder, `restored-${way}`)
    const from = join(folder, way)
    if (way === 'files') await restore(from, { mongodbUrl: null, dataFiles: dataDir })
    const restored = await startMongo({ dataDir })
    if (way === 'dump') await restore(from, { mongodbUrl: restored.url, dataFiles: null })
    return restored
  }
})

/** Every document with its bytes, after the name of its collection. */
const allDocuments = (url: string): Promise<Set<string>> =>
  withServer(url, async (client) => {
    const bytesIn = async ({ name }: { name: string }): Promise<string[]> => {
      const found = await client.db().collection(name).find({}, { raw: true }).toArray()
      return found.map((document) => `${name} ${(document as unknown as Buffer).toString('base64')}`)
    }
    return new Set((await Promise.all(collections.map(bytesIn))).flat())
  })
