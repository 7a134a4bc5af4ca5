import { expect } from 'chai'
import mongoose from 'mongoose'
import { createShortCodes } from '../../src/intents/short-codes.ts'
import { noDeadline } from '../../src/mongo/batching/batcher.ts'
import { runCleanUp } from '../../src/retention/clean-up.ts'
import { startCounts } from '../../src/retention/counts.ts'
import { createIntent } from '../support/actions.ts'
import { profiled } from '../support/profiled.ts'
import { withMerchant, withService } from '../support/service.ts'

const intents = '/api/v1/dev/intents'

type Insert = Parameters<typeof createShortCodes>[0]
/** Inserts each code once, and refuses it from then on as MongoDB does. */
function onceEach(insert: Insert): Insert {
  const sent = new Set<string>()
  return async (code, deadlineAt) =>
    sent.has(code._id) ? { inserted: false, index: '_id_' } : (sent.add(code._id), insert(code, deadlineAt))
}

describe('A short code', () => {
  const service = withService({ SANDBOX_RETENTION_DAYS: '1' })
  const merchant = withMerchant(service)
  const own = () => service.deps.shortCodes

  /** Returns a pool that draws random codes from `size` different ones, which all begin with `prefix`. */
  const poolOf = (prefix: string, size: number, insert = service.deps.batchers.insertShortCode) =>
    createShortCodes(insert, () => {
      const number = Math.floor(Math.random() * size)
      return `${prefix}${String(number).padStart(5, '0')}`
    })
  const takeAll = (pool: ReturnType<typeof poolOf>, count: number) =>
    Promise.allSettled(Array.from({ length: count }, () => pool.take(noDeadline)))
  const codesIn = (results: PromiseSettledResult<string>[]) =>
    results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))

  it('is never used again, even after the clean-up has removed its intent', async () => {
    const original = own()
    const { referenceNumber, shortCode } = await createIntent(service, merchant)
    await service.http.post(`${intents}/${referenceNumber}/cancel`).set(merchant.write()).expect(200)
    await service.deps.Intent.updateOne({ referenceNumber }, { $set: { outbox: [] } })
    service.clock.advance(2 * 86_400_000)
    const { counts, watch } = startCounts({ count: () => undefined, done: () => undefined })
    await runCleanUp(service.deps, new AbortController().signal, watch)
    expect(counts.intents).to.equal(1)

    const draws = [shortCode, 'ZZZZZZ']
    const insert = onceEach(service.deps.batchers.insertShortCode)
    service.deps.shortCodes = createShortCodes(insert, () => draws.shift() ?? 'ZZZZZZ')
    expect(await createIntent(service, merchant)).to.include({ shortCode: 'ZZZZZZ' })
    const { status, headers, body } = await service.http.post(intents).set(merchant.write()).send({ amount: 5 })
    expect([status, body.error.code, headers['retry-after']]).to.deep.equal([503, 'SERVICE_UNAVAILABLE', '30'])
    service.deps.shortCodes = original
  })

  it('is found even if nearly all codes are taken', async () => {
    const insert = onceEach(async () => ({ inserted: true }))
    const [first, last] = [poolOf('A', 400, insert), poolOf('A', 400, insert)]
    const early = codesIn(await takeAll(first, 390))
    expect(new Set(early).size).to.equal(390)
    const late = await takeAll(last, 20)
    const found = codesIn(late)
    expect([...new Set([...early, ...found])]).to.have.lengthOf(390 + found.length)
    const codes = late.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []))
    expect(new Set(codes)).to.deep.equal(new Set(['SERVICE_UNAVAILABLE']))
  })

  it('is never reserved by two processes', async () => {
    const pools = [poolOf('B', 800), poolOf('B', 800)]
    const codes = codesIn((await Promise.all(pools.map((pool) => takeAll(pool, 120)))).flat())
    expect(codes).to.have.lengthOf(240)
    expect(new Set(codes).size).to.equal(240)
  })

  it('is not used if it is unknown whether MongoDB has stored it', async () => {
    const { insertShortCode } = service.deps.batchers
    let isLost = true
    const seen = new Set<string>()
    const pool = createShortCodes(async (code, deadlineAt) => {
      const insertion = await insertShortCode(code, deadlineAt)
      if (!isLost) return insertion
      seen.add(code._id)
      throw new mongoose.mongo.MongoNetworkError('connection closed')
    })
    const original = own()
    service.deps.shortCodes = pool
    const create = () => service.http.post(intents).set(merchant.write('lost')).send({ amount: 5 })
    const { status, headers } = await create()
    expect([status, headers['retry-after']]).to.deep.equal([503, '2'])
    expect(seen.size).to.be.greaterThan(20)
    isLost = false
    const { body } = await create().expect(201)
    expect([...seen]).to.not.include(body.data.shortCode)
    expect((await create().expect(201)).body).to.deep.equal(body)
    service.deps.shortCodes = original
  })

  it('costs far less than one write for each intent', async () => {
    const ofCodes = await profiled(service, async () => {
      for (let count = 0; count < 8; count += 1) await createIntent(service, merchant)
    })
    const writes = ofCodes.filter(({ ns }) => ns.endsWith('.shortcodes'))
    expect(writes.length).to.be.at.most(1)
  })

  it("is not taken after the request's deadline", async () => {
    const frozen = createShortCodes(() => new Promise(() => undefined))
    const late = await frozen.take(performance.now()).catch((error: { code: string }) => error.code)
    expect(late).to.equal('SERVICE_UNAVAILABLE')
  })
})
