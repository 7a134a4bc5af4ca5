import { expect } from 'chai'
import { fillIn } from '../../src/fill-in.ts'
import { makeIndexes } from '../../src/indexes.ts'
import { intents as described } from '../../src/intents/intent.ts'
import { sweep } from '../../src/sweep.ts'
import { createIntent, readIntent } from '../support/acts.ts'
import { type House, openHouse } from '../support/house.ts'
import { profiled } from '../support/profiled.ts'

describe('the release step on what the version before left', () => {
  let house: House
  before(async () => {
    house = await openHouse()
  })
  after(() => house.close())

  const collection = (name: string) => house.deps.mongo.collection(name)
  const release = () => makeIndexes(house.deps.config.mongodbUrl, house.deps.log)

  it('exchanges an index that guarded too much, and keeps the guard', async () => {
    const endpoints = collection('webhookendpoints')
    await endpoints.dropIndexes()
    await endpoints.createIndexes([{ name: 'slot', key: { businessId: 1, slot: 1 }, unique: true }])
    await release()
    await release()
    const names = (await endpoints.indexes()).map(({ name }) => name)
    expect(names).to.include('slotInUse').and.not.include('slot')
    const merchant = await house.merchant()
    const create = () =>
      house.http
        .post('/api/v1/dev/webhooks/endpoints')
        .set(merchant.write())
        .send({ url: 'https://shop.example/hook', events: ['payment.created'] })
    for (let count = 0; count < 2; count += 1) {
      const { body } = await create()
      const path = `/api/v1/dev/webhooks/endpoints/${body.data.id}`
      expect((await house.http.delete(path).set(merchant.write())).status).to.equal(200)
    }
    const answers = await Promise.all(Array.from({ length: 7 }, create))
    expect(answers.filter(({ status }) => status === 201)).to.have.length(5)
  })

  it('exchanges the index that removed a session before its lines were told', async () => {
    const sessions = collection('staffsessions')
    await sessions.dropIndexes()
    await sessions.createIndexes([{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }])
    await release()
    const removing = (await sessions.indexes()).filter((index) => index.expireAfterSeconds !== undefined)
    expect(removing.map(({ key, expireAfterSeconds }) => [key, expireAfterSeconds])).to.deep.equal([
      [{ createdAt: 1 }, 30 * 86_400],
    ])
  })

  it('fills in what its intents lack: they can be paid', async () => {
    const merchant = await house.merchant()
    const { referenceNumber } = await createIntent(house, merchant)
    const lacking = { underWay: 1, failure: 1, attempts: 1, refunds: 1, refundsCommitted: 1 }
    await collection('intents').updateOne({ referenceNumber }, { $unset: lacking })
    await release()
    const path = `/api/v1/dev/intents/${referenceNumber}`
    const paid = await house.http.post(`${path}/simulate-payment`).set(merchant.write()).expect(200)
    expect(paid.body.data).to.include({ status: 'PAID', totalAmountRefunded: 0 })
    await house.http.post(`${path}/refund`).set(merchant.write()).expect(200)
  })

  it('fills in what its deliveries and endpoints lack', async () => {
    const at = new Date('2026-11-01T00:00:00Z')
    const old = { host: 'shop.example', attemptLog: [{ at }], createdAt: at }
    const id = (name: string) => ({ _id: name as never })
    await collection('deliveries').insertMany([
      { ...id('d1'), ...old, status: 'DEAD' },
      { ...id('d2'), ...old, status: 'DELIVERED' },
    ])
    await collection('webhookendpoints').insertOne({ ...id('e1'), businessId: 'b', slot: 0, createdAt: at })
    await release()
    const [dead, delivered] = await house.deps.Delivery.find({ _id: { $in: ['d1', 'd2'] } }).sort({ _id: 1 })
    const url = 'https://shop.example'
    expect(dead).to.deep.include({ redrives: 0, url, deadAt: at })
    expect(delivered).to.deep.include({ redrives: 0, url, deadAt: null })
    const endpoint = await house.deps.Endpoint.findById('e1').lean()
    expect(endpoint).to.deep.include({
      deletedAt: null,
      previousSecrets: [],
      secretMadeBy: 'e1',
      updatedAt: at,
    })
    expect(endpoint?.health.failuresInRow).to.equal(0)
  })

  it('fills in all that lack it, however many', async () => {
    const lacking = { _id: /^lacking-/ as never, refunds: { $exists: false } }
    const many = Array.from({ length: 1_001 }, (_, at) => ({
      _id: `lacking-${at}` as never,
      referenceNumber: `PI-lacking-${at}`,
      shortCode: `lacking-${at}`,
    }))
    await collection('intents').insertMany(many)
    expect(await collection('intents').countDocuments(lacking)).to.equal(1_001)
    await release()
    expect(await collection('intents').countDocuments(lacking)).to.equal(0)
    await collection('intents').deleteMany({ _id: lacking._id })
  })

  it('leaves as it is what somebody else filled in and wrote meanwhile', async () => {
    await release()
    const merchant = await house.merchant()
    const { referenceNumber } = await createIntent(house, merchant)
    const documents = collection('intents')
    await documents.updateOne({ referenceNumber }, { $unset: { refunds: 1, refundsCommitted: 1 } })
    const written = { refunds: [{ amount: 100 }], refundsCommitted: 100 }
    const updateMany: typeof documents.updateMany = async (...write) => {
      await documents.updateOne({ referenceNumber }, { $set: written })
      return documents.updateMany(...write)
    }
    const racing = { find: documents.find.bind(documents), updateMany }
    const mongo = { collection: () => racing } as unknown as House['deps']['mongo']
    expect(await fillIn(mongo, described)).to.equal(0)
    expect(await documents.findOne({ referenceNumber })).to.deep.include(written)
    await documents.deleteOne({ referenceNumber })
  })

  it('looks for what is lacking by an index, and so at nothing where nothing is', async () => {
    await release()
    const filled = /\.(intents|deliveries|webhookendpoints)$/
    const looks = (await profiled(house, release)).filter(
      ({ ns, command }) => filled.test(ns) && 'find' in command,
    )
    expect(looks.map(({ planSummary, docsExamined }) => [planSummary, docsExamined])).to.have.deep.members([
      ['IXSCAN { refunds: 1 }', 0],
      ['IXSCAN { redrives: 1 }', 0],
      ['IXSCAN { health: 1 }', 0],
    ])
  })

  it('need not run again: the sweep fills in what a process of that version wrote afterwards', async () => {
    await release()
    const merchant = await house.merchant()
    const { referenceNumber } = await createIntent(house, merchant)
    const written = { referenceNumber, refunds: { $exists: false } }
    await collection('intents').updateOne({ referenceNumber }, { $unset: { refunds: 1, attempts: 1 } })
    const sweeps = await Promise.all([sweep(house.deps, false), sweep(house.deps, false)])
    expect(sweeps.reduce((sum, { filledIn }) => sum + filledIn, 0)).to.equal(1)
    expect(await collection('intents').countDocuments(written)).to.equal(0)
    expect(await readIntent(house, merchant, referenceNumber)).to.deep.include({ refunds: [] })
  })

  it('makes indexes on a collection that is in use: no request fails', async () => {
    const merchant = await house.merchant()
    const { referenceNumber } = await createIntent(house, merchant)
    const intents = collection('intents')
    const like = await intents.findOne({ referenceNumber }, { projection: { codeKey: 0 } })
    const many = Array.from({ length: 10_000 }, (_, index) => ({
      ...like,
      _id: `many-${index}` as never,
      referenceNumber: `PI-${index}`,
      shortCode: `-${index}`,
    }))
    await intents.insertMany(many)
    const made = ['byTime', 'byStatus', 'expiring', 'shortCode']
    for (const name of made) await intents.dropIndex(name)
    const making = { ended: false }
    const statuses = new Set<number>()
    const [used] = await Promise.all([
      (async () => {
        let requests = 0
        for (; !making.ended; requests += 2) {
          const path = '/api/v1/dev/intents'
          statuses.add((await house.http.post(path).set(merchant.write()).send({ amount: 5 })).status)
          statuses.add((await house.http.get(`${path}/${referenceNumber}`).set(merchant.read())).status)
        }
        return requests
      })(),
      release().finally(() => (making.ended = true)),
    ])
    expect(used).to.be.above(4)
    expect([...statuses]).to.have.members([201, 200])
    expect((await intents.indexes()).map(({ name }) => name)).to.include.members(made)
  })
})
