import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { type Server, startMongo } from '../../dev/servers.ts'
import { backUp } from '../../ops/backup/back-up.ts'
import { copyFiles, restoreFiles } from '../../ops/backup/copy-files.ts'
import { drill } from '../../ops/backup/drill.ts'
import { hasTools, wholeServer } from '../../ops/backup/dump.ts'
import { type Note, readNote, writeNote } from '../../ops/backup/note.ts'
import { restore } from '../../ops/backup/restore.ts'
import { readOneServer, withServer } from '../../ops/backup/server.ts'
import { readSummary } from '../../ops/backup/summary.ts'
import { whileLocked } from '../../ops/backup/while-locked.ts'
import { collections } from '../../src/mongo/models.ts'
import { createSecrets } from '../../src/security/seal.ts'
import { createAccount } from '../../src/staff/create-account.ts'
import { secretField } from '../../src/webhooks/endpoints/signing-secrets.ts'
import { operator } from '../admin/staff.ts'
import {
  attempt,
  cancelIntent,
  createIntent,
  freshDelivery,
  readIntent,
  relay,
  storedBody,
  subscribe,
} from '../support/actions.ts'
import { type EndpointServer, startEndpointServer } from '../support/endpoint-server.ts'
import { pay, refund, simulate } from '../support/pay.ts'
import { type Merchant, openService, type Service } from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { waitFor } from '../support/wait-for.ts'

const never = new AbortController().signal

/** What goes wrong, in its words. */
const faultOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => expect.fail('nothing went wrong'),
    (error: Error) => error.message,
  )

const accessTo = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

describe('A backup', () => {
  let mongo: Server
  let service: Service
  let merchant: Merchant
  let endpointServer: EndpointServer
  let folder: string
  const opened: { close(): Promise<unknown> }[] = []
  const create = (key: string) =>
    fetch(`${service.origin}/api/v1/dev/intents`, {
      method: 'POST',
      headers: { ...merchant.write(key), 'Content-Type': 'application/json' },
      body: '{"amount":100}',
    })

  before(async () => {
    ;[mongo, endpointServer, folder] = await Promise.all([
      startMongo(),
      startEndpointServer(),
      mkdtemp(join(tmpdir(), 'payment-intents-backups-')),
    ])
    service = await openService({ MONGODB_URL: mongo.url })
    opened.push(service)
    merchant = await service.merchant()
  })
  after(async () => {
    await Promise.all(opened.map((each) => each.close()))
    await Promise.all([mongo.stop(), endpointServer.close(), rm(folder, { recursive: true })])
  })

  it('unlocks the server if it fails, takes too long, or if any of its processes is stopped or killed', async () => {
    const takesWrites = () => createIntent(service, merchant)
    const failing = whileLocked(mongo.url, 60_000, never, () => Promise.reject(new Error('no room')))
    expect(await faultOf(failing)).to.equal('no room')
    await takesWrites()

    const forever = `import { whileLocked } from './ops/backup/while-locked.ts'
      const { signal } = new AbortController()
      await whileLocked(process.env.URL, 60_000, signal, () => new Promise(() => setInterval(() => {}, 1000)))`
    const killed = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', forever], {
      env: { PATH: process.env.PATH, URL: mongo.url },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    await waitFor('it is locked', isLocked)
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    await takesWrites()

    const holder = spawn(process.execPath, ['ops/backup/hold-lock.mjs'], {
      env: { PATH: process.env.PATH, MONGODB_URL: mongo.url, LONGEST_MS: '60000' },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(holder.stdout, 'data')
    expect(await isLocked()).to.equal(true)
    holder.kill('SIGTERM')
    expect(await once(holder, 'exit')).to.deep.equal([1, null])
    await takesWrites()

    const late = whileLocked(mongo.url, 100, never, (signal) => once(signal, 'abort'))
    expect(await faultOf(late)).to.include('before the backup was complete')
    await takesWrites()
  })

  it('can be interrupted during a dump with much output, and leaves nothing behind', async () => {
    const [tools, temporary] = [join(folder, 'tools'), join(folder, 'temporary')]
    await Promise.all([mkdir(tools), mkdir(temporary)])
    const talkative =
      '#!/bin/sh\n[ "$1" = --version ] && exit\nhead -c 2000000 /dev/zero >&2\nexec sleep 60\n'
    await writeFile(join(tools, 'mongodump'), talkative, { mode: 0o755 })
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', 'ops/backup/main.ts', 'backup', join(folder, 'deeper', 'cut')],
      {
        env: { PATH: `${tools}:${process.env.PATH}`, TMPDIR: temporary, MONGODB_URL: mongo.url },
        stdio: ['ignore', 'inherit', 'pipe'],
      },
    )
    const said: Buffer[] = []
    child.stderr.on('data', (bytes: Buffer) => said.push(bytes))
    await waitFor('it has said all', () => Buffer.concat(said).length >= 2_000_000)
    expect(await isLocked()).to.equal(true)
    const written = await readdir(temporary, { recursive: true })
    expect(written.filter((path) => path.endsWith('tools.yaml'))).to.have.length(1)
    expect(await accessTo(join(folder, 'deeper', 'cut'))).to.equal(0o700)
    child.kill('SIGTERM')
    expect(await once(child, 'close')).to.deep.equal([1, null])
    expect(Buffer.concat(said).subarray(2_000_000).toString()).to.equal('Interrupted by SIGTERM\n')
    const left = await readdir(temporary, { recursive: true })
    expect(left.filter((path) => path.startsWith('payment-intents'))).to.deep.equal([])
    expect(await readdir(join(folder, 'deeper'))).to.deep.equal([])
    expect(await faultOf(readNote(folder))).to.include('no complete backup')
    expect(await isLocked()).to.equal(false)
  })

  it('documents its commands', async () => {
    const asked = ['--import', 'tsx', 'ops/backup/main.ts', 'backup', '--help']
    const { stdout, stderr } = await promisify(execFile)(process.execPath, asked)
    expect([stdout.split(' ')[0], stderr]).to.deep.equal(['npm', ''])
  })

  it('of files copies only the server that it locks', async () => {
    const elsewhere = backUp(mongo.url, join(folder, 'none'), folder, never)
    expect(await faultOf(elsewhere)).to.include('not the data folder')
    // In containers every server has the same process id.
    const another = join(folder, 'another')
    await mkdir(another)
    await writeFile(join(another, 'mongod.lock'), `${mongo.pid}\n`)
    const before = Date.now() / 1000 - 3600
    await utimes(join(another, 'mongod.lock'), before, before)
    const alike = backUp(mongo.url, join(folder, 'none'), another, never)
    expect(await faultOf(alike)).to.include('not the data folder')
    const several = backUp('mongodb://a,b/pi?replicaSet=rs', join(folder, 'none'), folder, never)
    expect(await faultOf(several)).to.include('several servers')
    await mkdir(join(folder, 'kept'))
    const twice = backUp(mongo.url, join(folder, 'kept'), mongo.folder, never)
    expect(await faultOf(twice)).to.include('exists already')
    expect(await readdir(folder))
      .to.include('kept')
      .and.not.include('none')
    // One that its set does not know yet: nobody but itself can have answered.
    const member = await startMongo({ replicaSet: 'rs' })
    opened.push({ close: () => member.stop() })
    const alone = member.url.replace(/\?.*/, '')
    expect(await readOneServer(alone)).to.include({ pid: member.pid, version: member.version })
  })

  it('copies the target of a link, not the link', async () => {
    const [data, fast, copied, back] = ['data', 'fast', 'copied', 'back'].map((name) =>
      join(folder, 'linked', name),
    ) as [string, string, string, string]
    await Promise.all([data, fast, copied].map((path) => mkdir(path, { recursive: true })))
    await writeFile(join(fast, 'WiredTigerLog.1'), 'journal')
    await symlink(fast, join(data, 'journal'))
    await copyFiles(data, join(copied, 'files'), never)
    // As in an older backup.
    await symlink(fast, join(copied, 'files', 'older'))
    await restoreFiles(copied, back, never)
    expect(await accessTo(back)).to.equal(0o700)
    for (const name of ['journal', 'older']) {
      expect((await lstat(join(back, name))).isSymbolicLink()).to.equal(false)
      expect(await readFile(join(back, name, 'WiredTigerLog.1'), 'utf8')).to.equal('journal')
    }
  })

  for (const way of ['files', 'dump'] as const)
    it(`taken by ${way} under traffic restores the same data after the server is lost, and the service continues`, async function () {
      if (way === 'dump' && !hasTools()) {
        console.error('mongodump is not on the PATH: backups by it are not tried')
        this.skip()
      }
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
      await waitFor('some traffic', () => acknowledged.length > 20)
      const taken = backUp(mongo.url, join(folder, way), way === 'files' ? mongo.folder : null, never)
      await Promise.all([taken, waitFor('writes wait meanwhile', isLocked)])
      const note = await taken
      const during = acknowledged.length
      await waitFor('traffic goes on', () => acknowledged.length > during + 20)
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

      // Redis comes back empty: this service has queues of its own.
      const again = await openService({ MONGODB_URL: restored.url })
      opened.push(again, { close: () => restored.stop() })
      service = again
      const replay = await create(filled.key)
      expect([replay.status, replay.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true'])
      expect(await replay.text()).to.equal(filled.answer)
      await pay(again, filled.pending)
      expect((await readIntent(again, merchant, filled.pending)).status).to.equal('PAID')
      again.allowHost(endpointServer.host)
      const arrived = endpointServer.received.length
      again.startWorkers()
      const due = await waitFor('what was due is delivered', () =>
        endpointServer.received.slice(arrived).find(({ json }) => json.id === filled.due._id),
      )
      expect(due.body).to.equal(await storedBody(again, filled.due))
    })

  it('can be verified without affecting the service, and tells whether SECRET_KEY belongs to it', async () => {
    const { secrets, log } = service.deps
    const tried = await drill(join(folder, 'files'), 'payment_intents', secrets, log, never)
    expect(tried.counts).to.include({ orders: 1, products: 1, webhookendpoints: 1, staff: 1 })
    expect(tried.counts.intents).to.be.greaterThan(25)
    expect(tried.keyOpens).to.equal(true)
    expect(Date.parse(String(tried.newestIntentAt))).to.be.closeTo(Date.parse(tried.takenAt), 2000)
    const { mongodbUrl, secretKeys } = service.deps.config
    const another = createSecrets([Buffer.alloc(32)])
    const both = createSecrets([Buffer.alloc(32), secretKeys[0]])
    expect(await readSummary(mongodbUrl, another, log)).to.include({ keyOpens: false, endpointsNotOpened: 1 })
    expect(await readSummary(mongodbUrl, both, log)).to.include({ keyOpens: true })
    const { _id } = await service.deps.Endpoint.findOne({ deletedAt: null }).orFail().lean()
    for (const [ms, found] of [
      [60_000, { keyOpens: false, endpointsNotOpened: 1 }],
      [-1, { keyOpens: true, endpointsNotOpened: 0 }],
    ] as const) {
      const replaced = { secret: another.seal('x', secretField(_id)), validUntil: new Date(Date.now() + ms) }
      await service.deps.Endpoint.updateMany({}, { previousSecrets: [replaced] })
      expect(await readSummary(mongodbUrl, secrets, log)).to.include(found)
    }
    await service.deps.Endpoint.updateMany({}, { deletedAt: new Date() })
    expect(await readSummary(mongodbUrl, another, log)).to.include({ keyOpens: null })

    const newer = await noteOf({ kind: 'dump', mongodb: '99.1.2' })
    const fault = await faultOf(drill(newer, 'payment_intents', secrets, log, never))
    expect(fault).to.include('The backup is of MongoDB 99.1.2')
  })

  it('is never restored over existing data', async () => {
    const where = { mongodbUrl: null, dataFiles: folder }
    expect(await faultOf(restore(join(folder, 'files'), where, never))).to.include('is not empty')
    expect(await readdir(folder)).to.not.include('WiredTiger')
    // An archive has every database of its server, whichever the URL names.
    const target = service.deps.config.mongodbUrl.replace(/[^/]*$/, 'another')
    const archive = await noteOf({ kind: 'dump', mongodb: mongo.version })
    const fault = await faultOf(restore(archive, { mongodbUrl: target, dataFiles: null }, never))
    expect(fault).to.include('it has payment_intents')
  })

  it('by mongodump contains the whole server, with its sign-in', () => {
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

  /** A folder that says it is a backup. */
  async function noteOf(said: Pick<Note, 'kind' | 'mongodb'>): Promise<string> {
    const made = await mkdtemp(join(folder, 'said-'))
    await writeNote(made, { ...said, takenAt: new Date().toISOString(), oplog: false })
    return made
  }

  /** Intents of each status, what belongs to them, and the rest that merchants, staff and wallets have. */
  async function fill() {
    await subscribe(service, merchant, endpointServer.url)
    const answer = await create('before')
    const [pending, paid, refunded, cancelled, failed] = await Promise.all([
      createIntent(service, merchant),
      createIntent(service, merchant),
      createIntent(service, merchant),
      createIntent(service, merchant),
      createIntent(service, merchant, { amount: 99_901 }),
    ])
    await Promise.all([
      pay(service, paid.referenceNumber),
      simulate(service, merchant, refunded.referenceNumber),
      cancelIntent(service, merchant, cancelled.referenceNumber),
      simulate(service, merchant, failed.referenceNumber),
    ])
    await refund(service, merchant, refunded.referenceNumber, 20_000)
    await createProduct(service, merchant)
    const order = service.http.post('/api/v1/dev/store/orders/simulate')
    await order.set(merchant.write()).send({}).expect(201)
    await createAccount(service.deps, { name: 'awa', role: 'support' }, operator)
    const delivered = await freshDelivery(service, merchant)
    await attempt(service.deps, delivered._id)
    await waitFor('how it went is noted', () =>
      service.deps.Endpoint.exists({ 'health.lastSuccessAt': { $ne: null } }),
    )
    await waitFor('and counted', () => service.deps.DeliveryHour.exists({}))
    const due = await freshDelivery(service, merchant)
    await relay(service, merchant)
    return { key: 'before', answer: await answer.text(), pending: pending.referenceNumber, due }
  }

  async function bringBack(way: Note['kind'], note: Note): Promise<Server> {
    expect(await readNote(join(folder, way))).to.deep.equal(note)
    const dataDir = join(folder, `restored-${way}`)
    const from = join(folder, way)
    if (way === 'files') await restore(from, { mongodbUrl: null, dataFiles: dataDir }, never)
    const restored = await startMongo({ dataDir })
    if (way === 'dump') await restore(from, { mongodbUrl: restored.url, dataFiles: null }, never)
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
