import { expect } from 'chai'
import { giveUp, keepResponse } from '../../src/idempotency/compete.ts'
import { noDeadline } from '../../src/mongo/batching/batcher.ts'
import { subscribe } from '../support/actions.ts'
import { startEndpointServer } from '../support/endpoint-server.ts'
import { createGate } from '../support/gate.ts'
import { deadlineMs } from '../support/machine.ts'
import { type Merchant, openService, type Service, withMerchantPerTest, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { expectRefused } from './refused.ts'

const intents = '/api/v1/dev/intents'
const day = 24 * 3_600_000

describe("A write's idempotency claim", () => {
  const service = withService()
  const merchant = withMerchantPerTest(service)
  beforeEach(() => service.deps.Claim.deleteMany({}))

  // This takes 10 real seconds. It begins first, runs during the other tests, and is checked in tests below.
  let waited: ReturnType<typeof waitInVain>
  before(() => {
    waited = waitInVain()
    waited.catch(() => undefined)
  })

  const create = (key: string, body: object = { amount: 5 }) =>
    service.http.post(intents).set(merchant.write(key)).send(body)
  const cancel = (reference: string, key: string) =>
    service.http.post(`${intents}/${reference}/cancel`).set(merchant.write(key))
  const intentsMade = () => service.deps.Intent.find({ businessId: merchant.businessId }).lean()
  const claim = () => service.deps.Claim.findOne().orFail().lean()
  /** Leaves the claim as a process does that dies before it stores the response. */
  const crash = (leaseEndsAt: Date) =>
    service.deps.Claim.updateMany({}, { $set: { leaseEndsAt }, $unset: { sealedResponse: 1 } })
  const past = () => new Date(service.deps.now().getTime() - 1)

  it('is read but not written while duplicate requests wait', async () => {
    const endpointServer = await startEndpointServer()
    const gate = createGate()
    endpointServer.respondWith((res) => void gate.passed.then(() => res.end()))
    const { id } = await subscribe(service, merchant, endpointServer.url)
    const test = () => testEndpoint(service, merchant, id)
    const { batchers } = service.deps
    let inserts = 0
    let lookups = 0
    service.deps.batchers = {
      ...batchers,
      insertClaim: (...claimed) => (++inserts, batchers.insertClaim(...claimed)),
      findClaim: (...args) => (++lookups, batchers.findClaim(...args)),
    }
    const first = test()
    await endpointServer.atLeast(1)
    const duplicates = [test(), test()]
    await waitFor('each duplicate to look again', () => lookups >= 7)
    expect(inserts).to.equal(3)
    gate.open()
    const { text } = await first
    for (const duplicate of await Promise.all(duplicates)) expect(duplicate.text).to.equal(text)
    service.deps.batchers = batchers
    await endpointServer.close()
  })

  describe('after a crash', () => {
    it('lets the retry create the intent once if the process crashed before creating it', async () => {
      const { body } = await create('crashed').expect(201)
      await service.deps.Intent.deleteOne({ referenceNumber: body.data.referenceNumber })
      const { effectId } = await claim()
      await crash(past())
      const responses = await Promise.all(Array.from({ length: 5 }, () => create('crashed')))
      expect(new Set(responses.map(({ status, text }) => `${status} ${text}`))).to.have.property('size', 1)
      expect(responses[0]?.status).to.equal(201)
      expect((await intentsMade()).map(({ _id }) => _id)).to.deep.equal([effectId])
    })

    it('gives the retry the intent immediately if it was already created, even while the lease is valid', async () => {
      const first = await create('crashed').expect(201)
      for (const leaseEndsAt of [past(), new Date(service.deps.now().getTime() + day)]) {
        await crash(leaseEndsAt)
        const retry = await create('crashed')
        expect([retry.status, retry.text]).to.deep.equal([201, first.text])
        expect(retry.headers['idempotent-replayed']).to.equal('true')
      }
      expect(await intentsMade()).to.have.lengthOf(1)
    })
  })

  it('accepts a response only from the request that holds it, even in a batch with responses for other claims', async () => {
    const { deps } = service
    const held = ['a', 'b', 'c'].map((id) => ({ id, token: `of ${id}` }))
    const made = await create('any').then(claim)
    const { effectId } = made
    await deps.Claim.insertMany(held.map(({ id: _id, token }) => ({ ...made, _id, token })))
    await deps.Claim.updateOne({ _id: 'b' }, { $set: { token: 'of another', sealedResponse: 'kept' } })
    const keep = (each: (typeof held)[0]) => keepResponse(deps, each, { sealedResponse: `kept ${each.id}` }, noDeadline)
    expect(await Promise.all(held.map(keep))).to.deep.equal([true, false, true])
    await giveUp(deps, { id: 'b', token: 'of b' })
    expect((await deps.Claim.findById('b').orFail().lean()).leaseEndsAt).to.deep.equal(made.leaseEndsAt)
    const claims = await deps.Claim.find({ effectId, token: /^of/ }).sort({ _id: 1 }).lean()
    expect(claims.map(({ sealedResponse }) => sealedResponse)).to.deep.equal(['kept a', 'kept', 'kept c'])
  })

  it('allows one new effect after 24 hours, so that all concurrent retries get the same new intent', async () => {
    const first = await create('daily')
    const { effectId } = await claim()
    service.clock.advance(day)
    const responses = await Promise.all(Array.from({ length: 5 }, () => create('daily')))
    expect(new Set(responses.map(({ text }) => text))).to.have.property('size', 1)
    expect(responses[0]?.body.data.referenceNumber).not.to.equal(first.body.data.referenceNumber)
    expect((await claim()).effectId).to.not.equal(effectId)
    expect(await intentsMade()).to.have.lengthOf(2)
  })

  it('allows exactly one new effect if the clock jumps by a day while the claim is being read', async () => {
    const first = await create('leapt').expect(201)
    const { batchers } = service.deps
    const { findClaim } = batchers
    batchers.findClaim = async (...args) => {
      batchers.findClaim = findClaim
      const found = await findClaim(...args)
      service.clock.advance(day + 1)
      return found
    }
    expect((await create('leapt').expect(201)).text).to.equal(first.text)
    const next = await create('leapt').expect(201)
    expect((await create('leapt').expect(201)).text).to.equal(next.text)
    expect(await intentsMade()).to.have.lengthOf(2)
  })

  describe('while the request is running', () => {
    let restore: () => void = () => undefined
    afterEach(() => restore())

    function countLookups() {
      const { batchers } = service.deps
      const { findClaim } = batchers
      let count = 0
      restore = () => void Object.assign(batchers, { findClaim })
      batchers.findClaim = (...args) => (++count, findClaim(...args))
      return { lookups: () => count }
    }

    /** Holds the next insert of an intent until `letGo`, and counts the lookups of claims. */
    function holdNextInsert() {
      const { batchers } = service.deps
      const { insertIntent, findClaim } = batchers
      const gate = createGate()
      const counts = { inserts: 0, lookups: 0 }
      restore = () => {
        Object.assign(batchers, { insertIntent, findClaim })
        gate.open()
      }
      batchers.insertIntent = async (...args) => {
        batchers.insertIntent = insertIntent
        counts.inserts += 1
        await gate.passed
        return insertIntent(...args)
      }
      batchers.findClaim = (...args) => (++counts.lookups, findClaim(...args))
      return { arrived: () => counts.inserts > 0, lookups: () => counts.lookups, letGo: gate.open }
    }

    it('makes a duplicate request wait, and then gives it the first response, marked as replayed', async () => {
      const insert = holdNextInsert()
      const first = create('slow').then((response) => response)
      await waitFor('the first insert', insert.arrived)
      const second = create('slow').then((response) => response)
      await waitFor('the duplicate to look twice', () => insert.lookups() >= 2)
      expect(await intentsMade()).to.have.lengthOf(0)
      insert.letGo()
      const [one, two] = await Promise.all([first, second])
      expect([two.status, two.text]).to.deep.equal([one.status, one.text])
      expect(one.status).to.equal(201)
      expect(one.headers).not.to.have.property('idempotent-replayed')
      expect(two.headers['idempotent-replayed']).to.equal('true')
      expect(await intentsMade()).to.have.lengthOf(1)
      expect(await claim()).to.have.property('replayedAt')
    })

    it('lets 20 duplicate requests per business wait longer than a second, without delaying another business', async () => {
      const insert = holdNextInsert()
      const { longWaits } = service.deps
      longWaits.set(merchant.businessId, 18)
      let refused = 0
      const duplicate = async () => {
        const { status } = await create('often')
        if (status === 409) refused += 1
        return status
      }
      const responses = Promise.all(Array.from({ length: 5 }, duplicate))
      await waitFor('duplicates beyond 20 are refused', () => refused === 2)
      const other = await service.merchant()
      await service.http.post(intents).set(other.write()).send({ amount: 5 }).expect(201)
      insert.letGo()
      expect((await responses).filter((status) => status === 201)).to.have.lengthOf(3)
      expect(longWaits.get(merchant.businessId)).to.equal(18)
      expect(await intentsMade()).to.have.lengthOf(1)
    })

    it('leads to one intent and one response, even if the first insert arrives after a retry has created the intent', async () => {
      const insert = holdNextInsert()
      const first = create('late').then((response) => response)
      await waitFor('the first insert', insert.arrived)
      await crash(past())
      const second = await create('late')
      expect(second.status).to.equal(201)
      insert.letGo()
      const one = await first
      expect([one.status, one.text]).to.deep.equal([second.status, second.text])
      expect(await intentsMade()).to.have.lengthOf(1)
    })

    it('makes a duplicate wait for the new response after 24 hours, instead of repeating the old one', async () => {
      const endpointServer = await startEndpointServer()
      const { id } = await subscribe(service, merchant, endpointServer.url)
      await service.deps.Claim.deleteMany({})
      const old = await testEndpoint(service, merchant, id)
      service.clock.advance(day)
      const response = createGate()
      endpointServer.respondWith((res) => void response.passed.then(() => res.end()))
      const first = testEndpoint(service, merchant, id)
      await endpointServer.atLeast(2)
      const { lookups } = countLookups()
      const second = testEndpoint(service, merchant, id)
      await waitFor('the duplicate to look twice', () => lookups() >= 2)
      response.open()
      const { text } = await first
      expect([(await second).text, text === old.text]).to.deep.equal([text, false])
      await endpointServer.close()
    })

    it('is not taken over if its response is stored just after its lease has ended', async () => {
      const endpointServer = await startEndpointServer()
      const response = createGate()
      endpointServer.respondWith((res) => void response.passed.then(() => res.end()))
      const { id } = await subscribe(service, merchant, endpointServer.url)
      await service.deps.Claim.deleteMany({})
      const first = testEndpoint(service, merchant, id)
      await endpointServer.atLeast(1)
      await service.deps.Claim.updateMany({}, { $set: { leaseEndsAt: past() } })
      const { batchers } = service.deps
      const { findClaim } = batchers
      restore = () => void Object.assign(batchers, { findClaim })
      batchers.findClaim = async (...args) => {
        const found = await findClaim(...args)
        response.open()
        await first
        return found
      }
      const second = await testEndpoint(service, merchant, id)
      expect([second.text, second.headers['idempotent-replayed']]).to.deep.equal([(await first).text, 'true'])
      expect(endpointServer.received).to.have.length(1)
      await endpointServer.close()
    })

    it('gives a duplicate request 409 IDEMPOTENCY_REQUEST_IN_PROGRESS after 10 s, but does not store that response', async () => {
      const { responses, waitedMs, retry } = await waited
      expect(waitedMs).to.be.greaterThan(9000)
      for (const { status, body, headers } of responses) {
        expect([status, body.error.code]).to.deep.equal([409, 'IDEMPOTENCY_REQUEST_IN_PROGRESS'])
        expect(Number(headers['retry-after'])).to.be.greaterThan(0)
      }
      expect(retry.status).to.equal(201)
      expect(retry.headers).not.to.have.property('idempotent-replayed')
    })

    it('is held by an endpoint test for the whole webhook timeout, even if that is longer than 8 s', async () => {
      const { heldMs, second, first, third, received } = await waited
      expect(heldMs).to.be.within(30_000, 30_000 + deadlineMs(5_000))
      expect(second.body.error.code).to.equal('IDEMPOTENCY_REQUEST_IN_PROGRESS')
      expect(first.body.data).to.include({ delivered: true, responseStatus: 200 })
      expect(first.body.data.durationMs).to.be.greaterThan(9000)
      expect([third.text, third.headers['idempotent-replayed']]).to.deep.equal([first.text, 'true'])
      expect(received).to.have.length(1)
    })
  })

  describe('in MongoDB', () => {
    it('contains no key, code, secret, body or response in plain text', async () => {
      const created = await create('visible-key', { amount: 5, label: 'visible-label' }).expect(201)
      const { referenceNumber, code } = created.body.data
      await cancel(referenceNumber, 'visible-key').expect(200)
      await create('visible-key-2', { amount: 0, label: 'visible-label' }).expect(400)
      const endpoint = await service.http
        .post('/api/v1/dev/webhooks/endpoints')
        .set(merchant.write('visible-key'))
        .send({ url: 'https://shop.example/hook', events: ['payment.created'] })
        .expect(201)
      const { businessId } = merchant
      const claims = await service.deps.Claim.find().lean()
      const kept = await service.deps.Endpoint.findOne({ businessId }).orFail().lean()
      expect(claims).to.have.lengthOf(4)
      const always = ['_id', 'effectId', 'token', 'leaseEndsAt', 'paramsHash', 'expiresAt', 'removeAt']
      for (const each of claims) {
        const more = each.sealedResponse === undefined ? [] : ['sealedResponse', 'sandboxOf']
        expect(each).to.have.all.keys(...always, ...more)
      }
      const sealed = [...claims.map(({ sealedResponse }) => sealedResponse), kept.sealedResponse, kept.secret]
      for (const text of sealed.filter((each) => each !== undefined)) expect(text).to.match(/^v1\.[\da-f]{8}\.[\w-]+$/)
      const everything = JSON.stringify([claims, kept])
      for (const secret of [endpoint.body.data.secret, code, 'visible-', merchant.key, 'CANCELLED', 'amount'])
        expect(everything).not.to.include(secret)
    })

    it('causes 500 INTERNAL_ERROR if its response was copied from a different claim', async () => {
      const [one, other] = ['swapped-one', 'swapped-other']
      const refused = await create(one, { amount: 0 }).expect(400)
      const stored = await claim()
      await create(other, { amount: 0, label: 'visible-label' }).expect(400)
      const { _id, sealedResponse } = stored
      await service.deps.Claim.updateOne({ _id: { $ne: _id } }, { $set: { sealedResponse } })
      const { body } = await expectRefused(create(other), 500, 'INTERNAL_ERROR')
      expect(JSON.stringify(body)).not.to.include(refused.body.error.message)
    })

    it('expires after 24 hours, and is removed by MongoDB an hour later', async () => {
      const before = service.deps.now().getTime()
      await create('timed')
      const { expiresAt, removeAt } = await claim()
      expect(expiresAt.getTime()).to.be.within(before + day, service.deps.now().getTime() + day)
      expect(removeAt.getTime() - expiresAt.getTime()).to.equal(3_600_000)
      const indexes = await service.deps.Claim.collection.indexes()
      const removal = { v: 2, key: { removeAt: 1 }, name: 'removal', expireAfterSeconds: 0 }
      expect(indexes).to.deep.include.members([removal])
    })
  })
})

const testEndpoint = ({ http }: Service, merchant: Merchant, id: string) =>
  http
    .post(`/api/v1/dev/webhooks/endpoints/${id}/test`)
    .set(merchant.write('test'))
    .then((response) => response)

/**
 * Sends two duplicates that wait for a claim whose holder never responds, and a third one after its lease has ended.
 * Meanwhile, tests an endpoint whose server responds only after a duplicate was refused. Both take 10 s.
 */
async function waitInVain() {
  const [service, endpointServer] = await Promise.all([openService(), startEndpointServer()])
  try {
    const { Claim, Intent } = service.deps
    service.clock.freeze(new Date())
    const now = service.clock.now().getTime()
    const merchant = await service.merchant()
    const create = (body: object) => service.http.post(intents).set(merchant.write('stuck')).send(body)
    await create({ amount: 5 }).expect(201)
    await Intent.deleteMany({})
    const { _id } = await Claim.findOne().orFail().lean()
    const held = (leaseEndsAt: Date) => Claim.updateOne({ _id }, { $set: { leaseEndsAt } })
    await held(new Date(now + day))

    const { id } = await subscribe(service, merchant, endpointServer.url)
    const test = () => testEndpoint(service, merchant, id)
    let respondNow = (): void => undefined
    endpointServer.respondWith((res) => (respondNow = () => void res.end()))
    const testing = test()
    await endpointServer.atLeast(1)
    const claim = await Claim.findOne({ _id: { $ne: _id } })
      .sort({ leaseEndsAt: -1 })
      .lean()
    const startedAt = performance.now()
    const [second, ...responses] = await Promise.all([test(), create({ amount: 5 }), create({ amount: 6 })])
    const waitedMs = performance.now() - startedAt
    await held(new Date(0))
    respondNow()
    const [retry, first] = [await create({ amount: 5 }), await testing]
    const heldMs = Number(claim?.leaseEndsAt) - now
    return { responses, waitedMs, retry, heldMs, second, first, third: await test(), ...endpointServer }
  } finally {
    await Promise.all([service.close(), endpointServer.close()])
  }
}
