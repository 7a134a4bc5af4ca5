import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { type Server, startMongo } from '../../dev/servers.ts'
import { backUp } from '../../ops/backup/back-up.ts'
import { copyFiles, restoreFiles } from '../../ops/backup/copy-files.ts'
import { drill } from '../../ops/backup/drill.ts'
import { hasTools, wholeServer } from '../../ops/backup/dump.ts'
import { type Note, readNote, writeNote } from '../../ops/backup/note.ts'
import { restore } from '../../ops/backup/restore.ts'
import { readOneServer, withClient } from '../../ops/backup/server.ts'
import { readSummary } from '../../ops/backup/summary.ts'
import { whileLocked } from '../../ops/backup/while-locked.ts'
import { collectionDeclarations } from '../../src/context/models.ts'
import { createEncrypter } from '../../src/security/encrypt.ts'
import { createAccount } from '../../src/staff/change-account.ts'
import { signingSecretField } from '../../src/webhooks/endpoints/stored-secrets.ts'
import { operator } from '../admin/staff.ts'
import {
  attempt,
  cancelIntent,
  createIntent,
  freshDelivery,
  readIntent,
  relay,
  sendJson,
  storedBody,
  subscribe,
} from '../support/actions.ts'
import { temporaryFolder } from '../support/built.ts'
import { urlOf } from '../support/databases.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { deadlineMs } from '../support/machine.ts'
import { pay, refund, simulate } from '../support/pay.ts'
import { openService, type Service, withMerchant, withService } from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { waitFor } from '../support/wait-for.ts'
import { withServer } from '../support/with.ts'

const never = new AbortController().signal
const backupCommand = ['ops/backup/main.ts', 'backup']

const faultOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => expect.fail('it did not fail'),
    (error: Error) => error.message,
  )

const accessTo = async (path: string): Promise<number> => (await fs.stat(path)).mode & 0o777

describe('A backup', () => {
  const mongo = withServer(startMongo)
  const endpointServer = withEndpointServer()
  const original = withService(() => ({ MONGODB_URL: mongo.url }))
  const merchant = withMerchant(original)
  /** Runs on the newest restored server. */
  let service: Service = original
  const folder = temporaryFolder()
  const opened: { close(): Promise<unknown> }[] = []
  const create = (key: string) => sendJson(service.origin, merchant.write(key), '/intents', { amount: 100 })
  after(() => Promise.all(opened.map((each) => each.close())))

  it('unlocks the server if it fails, times out, is stopped or is killed', async () => {
    const takesWrites = () => createIntent(service, merchant)
    const failing = whileLocked(mongo.url, 60_000, never, () => Promise.reject(new Error('no room')))
    expect(await faultOf(failing)).to.equal('no room')
    await takesWrites()
    const endless = `import { whileLocked } from './ops/backup/while-locked.ts'
      const { signal } = new AbortController()
      await whileLocked(process.env.URL, 60_000, signal, () => new Promise(() => setInterval(() => {}, 1000)))`
    const killed = spawn(process.execPath, ['--input-type=module', '-e', endless], {
      env: { PATH: process.env.PATH, URL: mongo.url },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    await waitFor('the server is locked', isLocked)
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

  it('leaves nothing behind if it is interrupted during a dump', async () => {
    const [tools, temporary] = [join(folder, 'tools'), join(folder, 'temporary')]
    await Promise.all([fs.mkdir(tools), fs.mkdir(temporary)])
    const verbose = '#!/bin/sh\n[ "$1" = --version ] && exit\nhead -c 2000000 /dev/zero >&2\nexec sleep 60\n'
    await fs.writeFile(join(tools, 'mongodump'), verbose, { mode: 0o755 })
    const child = spawn(process.execPath, [...backupCommand, join(folder, 'deeper', 'cut')], {
      env: { PATH: `${tools}:${process.env.PATH}`, TMPDIR: temporary, MONGODB_URL: mongo.url },
      stdio: ['ignore', 'inherit', 'pipe'],
    })
    const output: Buffer[] = []
    child.stderr.on('data', (bytes: Buffer) => output.push(bytes))
    await waitFor('all output', () => Buffer.concat(output).length >= 2_000_000)
    const written = await fs.readdir(temporary, { recursive: true })
    expect(written.filter((path) => path.endsWith('tools.yaml'))).to.have.length(1)
    expect(await accessTo(join(folder, 'deeper', 'cut'))).to.equal(0o700)
    child.kill('SIGTERM')
    expect(await once(child, 'close')).to.deep.equal([1, null])
    expect(Buffer.concat(output).subarray(2_000_000).toString()).to.equal('Interrupted by SIGTERM\n')
    const left = await fs.readdir(temporary, { recursive: true })
    expect(left.filter((path) => path.startsWith('payment-intents'))).to.deep.equal([])
    expect(await fs.readdir(join(folder, 'deeper'))).to.deep.equal([])
    expect(await faultOf(readNote(folder))).to.include('no complete backup')
    expect(await isLocked()).to.equal(false)
  })

  it("copies only the locked server's files", async () => {
    const elsewhere = backUp(mongo.url, join(folder, 'none'), folder, never)
    expect(await faultOf(elsewhere)).to.include('not the data folder')
    // In containers, every server has the same process id.
    const another = join(folder, 'another')
    await fs.mkdir(another)
    await fs.writeFile(join(another, 'mongod.lock'), `${mongo.pid}\n`)
    const before = Date.now() / 1000 - 3600
    await fs.utimes(join(another, 'mongod.lock'), before, before)
    const alike = backUp(mongo.url, join(folder, 'none'), another, never)
    expect(await faultOf(alike)).to.include('not the data folder')
    const several = backUp('mongodb://a,b/pi?replicaSet=rs', join(folder, 'none'), folder, never)
    expect(await faultOf(several)).to.include('several servers')
    await fs.mkdir(join(folder, 'kept'))
    const twice = backUp(mongo.url, join(folder, 'kept'), mongo.folder, never)
    expect(await faultOf(twice)).to.include('exists already')
    expect(await fs.readdir(folder))
      .to.include('kept')
      .and.not.include('none')
    const member = await startMongo({ as: 'member' })
    opened.push({ close: () => member.stop() })
    const alone = member.url.replace(/\?.*/, '')
    expect(await faultOf(readOneServer(alone))).to.include('is not a member of a replica set')
  })

  it('copies the target of a symbolic link, not the link itself', async () => {
    const [data, fast, copied, back] = ['data', 'fast', 'copied', 'back'].map((name) =>
      join(folder, 'linked', name),
    ) as [string, string, string, string]
    await Promise.all([data, fast, copied].map((path) => fs.mkdir(path, { recursive: true })))
    await fs.writeFile(join(fast, 'WiredTigerLog.1'), 'journal')
    await fs.symlink(fast, join(data, 'journal'))
    await copyFiles(data, join(copied, 'files'), never)
    // An older backup contains links.
    await fs.symlink(fast, join(copied, 'files', 'older'))
    await restoreFiles(copied, back, never)
    expect(await accessTo(back)).to.equal(0o700)
    for (const name of ['journal', 'older']) {
      expect((await fs.lstat(join(back, name))).isSymbolicLink()).to.equal(false)
      expect(await fs.readFile(join(back, name, 'WiredTigerLog.1'), 'utf8')).to.equal('journal')
    }
  })

  for (const way of ['files', 'dump'] as const)
    it(`can be taken under live traffic and restored completely (method: ${way})`, async function () {
      if (way === 'dump' && !hasTools()) {
        console.error('mongodump is not on the PATH, so its backups are not tested')
        this.skip()
      }
      // The copy takes up several hundred megabytes, mostly the preallocated journal.
      const filled = await fill()
      const before = await allDocuments(mongo.url)
      const acknowledged: { referenceNumber: string; at: number }[] = []
      const traffic = { isRunning: true }
      const merchants = Array.from({ length: 4 }, async () => {
        while (traffic.isRunning) {
          const response = await create(`${way}-${acknowledged.length}-${Math.random()}`)
          if (response.status !== 201) continue
          const { data } = (await response.json()) as { data: { referenceNumber: string } }
          acknowledged.push({ ...data, at: Date.now() })
        }
      })
      // MongoDB knows the time of its last write only to the second.
      const isOld = (at = Date.now()) => Date.now() - at > 1000
      await waitFor('some traffic', () => isOld(acknowledged[20]?.at))
      const taken = backUp(mongo.url, join(folder, way), way === 'files' ? mongo.folder : null, never)
      if (way === 'files') await waitFor('writes wait meanwhile', isLocked)
      const note = await taken
      const during = acknowledged.length
      await waitFor('more traffic', () => acknowledged.length > during + 20)
      traffic.isRunning = false
      await Promise.all(merchants)
      const inTime = acknowledged.filter(({ at }) => at < Date.parse(note.takenAt))
      expect(inTime.length).to.be.within(20, acknowledged.length - 20)
      await mongo.stop()
      const restored = await bringBack(way, note)
      const after = await allDocuments(restored.url)
      expect([...before].filter((document) => !after.has(document))).to.deep.equal([])
      const references = new Set(
        await withClient(restored.url, (client) =>
          client.db().collection('intents').distinct('referenceNumber'),
        ),
      )
      expect(inTime.filter(({ referenceNumber }) => !references.has(referenceNumber))).to.deep.equal([])
      // This service has its own queues, as it would after losing Redis.
      const again = await openService({ MONGODB_URL: restored.url })
      opened.push(again, { close: () => restored.stop() })
      service = again
      const replay = await create(filled.key)
      expect([replay.status, replay.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true'])
      expect(await replay.text()).to.equal(filled.response)
      await pay(again, filled.pending)
      expect((await readIntent(again, merchant, filled.pending)).status).to.equal('PAID')
      again.allowHost(endpointServer.host)
      const arrived = endpointServer.received.length
      again.startWorkers()
      const due = await waitFor('the delivery of the due event', () =>
        endpointServer.received.slice(arrived).find(({ json }) => json.id === filled.due._id),
      )
      expect(due.body).to.equal(await storedBody(again, filled.due))
    })

  it('can be verified without affecting the service', async () => {
    const { secrets, log } = service.deps
    const drilled = await drill(join(folder, 'files'), 'payment_intents', secrets, log, never)
    expect(drilled.counts).to.include({ orders: 1, products: 1, webhookendpoints: 1, staff: 1 })
    expect(drilled.counts.intents).to.be.greaterThan(25)
    expect(drilled.keyOpens).to.equal(true)
    expect(Date.parse(String(drilled.newestIntentAt))).to.be.closeTo(
      Date.parse(drilled.takenAt),
      deadlineMs(2000),
    )
    const { mongodbUrl, secretKeys } = service.deps.config
    const another = createEncrypter([Buffer.alloc(32)])
    const both = createEncrypter([Buffer.alloc(32), secretKeys[0]])
    expect(await readSummary(mongodbUrl, another, log)).to.include({ keyOpens: false, endpointsNotOpened: 1 })
    expect(await readSummary(mongodbUrl, both, log)).to.include({ keyOpens: true })
    const { _id } = await service.deps.Endpoint.findOne({ deletedAt: null }).orFail().lean()
    for (const [ms, found] of [
      [60_000, { keyOpens: false, endpointsNotOpened: 1 }],
      [-1, { keyOpens: true, endpointsNotOpened: 0 }],
    ] as const) {
      const replaced = {
        secret: another.encrypt('x', signingSecretField(_id)),
        validUntil: new Date(Date.now() + ms),
      }
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
    expect(await fs.readdir(folder)).to.not.include('WiredTiger')
    // An archive contains all databases of its server, not only the one in the URL.
    const target = urlOf(service.deps.config.mongodbUrl, 'another')
    const archive = await noteOf({ kind: 'dump', mongodb: mongo.version })
    const fault = await faultOf(restore(archive, { mongodbUrl: target, dataFiles: null }, never))
    expect(fault).to.include('it has payment_intents')
  })

  it('contains all databases if it was taken with mongodump', () => {
    expect(wholeServer('mongodb://a:1,b:2/pi?replicaSet=rs')).to.equal('mongodb://a:1,b:2/?replicaSet=rs')
    expect(wholeServer('mongodb+srv://u:p@a/pi')).to.equal('mongodb+srv://u:p@a/?authSource=pi')
    expect(wholeServer('mongodb://u:p@a/pi?authSource=admin')).to.equal('mongodb://u:p@a/?authSource=admin')
    expect(wholeServer('mongodb://a')).to.equal('mongodb://a/')
  })

  const isLocked = (): Promise<boolean> =>
    withClient(mongo.url, async (client) => {
      return (await client.db('admin').command({ currentOp: 1 })).fsyncLock === true
    })
  async function noteOf(fields: Pick<Note, 'kind' | 'mongodb'>): Promise<string> {
    const made = await fs.mkdtemp(join(folder, 'note-'))
    await writeNote(made, { ...fields, takenAt: new Date().toISOString() })
    return made
  }
  async function fill() {
    await subscribe(service, merchant, endpointServer.url)
    const response = await create('before')
    const reference = async (amount = 50_000) =>
      (await createIntent(service, merchant, { amount })).referenceNumber
    const [pending, refunded] = [await reference(), await reference()]
    await pay(service, await reference())
    await simulate(service, merchant, refunded)
    await refund(service, merchant, refunded, 20_000)
    await cancelIntent(service, merchant, await reference())
    await simulate(service, merchant, await reference(99_901))
    await createProduct(service, merchant)
    await service.http.post('/api/v1/dev/store/orders/simulate').set(merchant.write()).send({}).expect(201)
    await createAccount(service.deps, { name: 'awa', role: 'support' }, operator)
    await attempt(service.deps, (await freshDelivery(service, merchant))._id)
    await waitFor('the recorded success', () =>
      service.deps.Endpoint.exists({ 'health.lastSuccessAt': { $ne: null } }),
    )
    const due = await freshDelivery(service, merchant)
    await relay(service, merchant)
    return { key: 'before', response: await response.text(), pending, due }
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

/** Every document's bytes after its collection's name, except the short code counter. */
const allDocuments = (url: string): Promise<Set<string>> =>
  withClient(url, async (client) => {
    const bytesIn = async ({ name }: { name: string }): Promise<string[]> => {
      const found = await client
        .db()
        .collection(name)
        .find({}, { raw: true, projection: { used: 0 } })
        .toArray()
      return found.map((document) => `${name} ${(document as unknown as Buffer).toString('base64')}`)
    }
    return new Set((await Promise.all(collectionDeclarations.map(bytesIn))).flat())
  })
