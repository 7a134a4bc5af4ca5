import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { createFullSandboxes } from '../../src/intents/live-codes.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { simulate } from '../support/pay.ts'
import { intents, type Merchant, withAnotherKey, withServiceAndMerchantPerTest } from '../support/service.ts'

const minute = 60_000
const day = 24 * 60 * minute
const codes = 1_000_000

/** Draws the given codes in order, then repeats the last one. */
function fixDraws(...drawn: number[]) {
  const { randomInt } = crypto
  let draws = 0
  crypto.randomInt = ((...args: [number]) => {
    if (args[0] !== codes) return randomInt(...args)
    draws += 1
    return drawn[Math.min(draws, drawn.length) - 1]
  }) as typeof crypto.randomInt
  syncBuiltinESMExports()
  return {
    count: () => draws,
    restore() {
      crypto.randomInt = randomInt
      syncBuiltinESMExports()
    },
  }
}

describe('A payment code', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  let draws: ReturnType<typeof fixDraws>
  afterEach(() => draws.restore())
  const create = (as: Merchant = merchant, idempotencyKey?: string) =>
    service.http.post(intents).set(as.write(idempotencyKey)).send({ amount: 1 })
  const codeOf = async (as: Merchant = merchant) => (await create(as).expect(201)).body.data.code
  const cancel = (referenceNumber: string) =>
    service.http.post(`${intents}/${referenceNumber}/cancel`).set(merchant.write()).expect(200)
  const holders = (code: string) =>
    service.deps.Intent.countDocuments({ codeKey: `test:${code}:${merchant.businessId}` })

  it('has six digits, is redrawn if it is in use, and is the same in the intent and every response', async () => {
    draws = fixDraws(1, 1, 2)
    expect(await codeOf()).to.equal('000001')
    const { body } = await create(merchant, 'once').expect(201)
    const replay = await create(merchant, 'once').expect(201)
    const read = await service.http.get(`${intents}/${body.data.referenceNumber}`).set(merchant.read())
    expect(body.data.code).to.equal('000002')
    expect(replay.body).to.deep.equal(body)
    expect(read.body.data.code).to.equal('000002')
  })

  it('is unique per merchant in the sandbox and across all merchants in production', async () => {
    const other = await service.merchant()
    draws = fixDraws(5)
    expect([await codeOf(), await codeOf(other)]).to.deep.equal(['000005', '000005'])
    draws.restore()
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    const otherLive = await withAnotherKey(service, other, { mode: 'live' })
    draws = fixDraws(5, 5, 6)
    expect([await codeOf(live), await codeOf(otherLive)]).to.deep.equal(['000005', '000006'])
  })

  it('is not issued if 16 drawn codes are already in use, and the create request gets 503 with Retry-After', async () => {
    draws = fixDraws(9)
    let elapsedMs = 0
    service.deps.fullSandboxes = createFullSandboxes(() => elapsedMs)
    await codeOf()
    const { shortCodes } = service.deps
    const next = await shortCodes.take(noDeadline)
    shortCodes.giveBack(next)
    const none = await create(merchant, 'kept trying')
    expect(none.status).to.equal(503)
    expect(none.body.error).to.include({ code: 'SERVICE_UNAVAILABLE', statusCode: 503 })
    expect(Number(none.headers['retry-after'])).to.be.greaterThan(0)
    expect(draws.count()).to.be.at.least(1 + 16)
    expect(await shortCodes.take(noDeadline)).to.equal(next)
    expect(await service.deps.Intent.countDocuments({ businessId: merchant.businessId })).to.equal(1)
    draws.restore()
    draws = fixDraws(10)
    elapsedMs += 1000
    const retried = await create(merchant, 'kept trying').expect(201)
    expect(retried.body.data.code).to.equal('000010')
    expect(retried.headers).not.to.have.property('idempotent-replayed')
    expect(await service.deps.Intent.countDocuments({ businessId: merchant.businessId })).to.equal(2)
  })

  it('is no longer drawn for a business whose sandbox codes are all in use, but still for others', async () => {
    draws = fixDraws(20)
    const neighbour = await service.merchant()
    await codeOf()
    expect((await create()).status).to.equal(503)
    const drawn = draws.count()
    const responses = await Promise.all(Array.from({ length: 10 }, () => create()))
    expect(responses.map(({ status }) => status)).to.deep.equal(Array(10).fill(503))
    expect(draws.count()).to.equal(drawn)
    await create(neighbour).expect(201)
  })

  const ends: [what: string, status: string, end: (referenceNumber: string) => Promise<unknown>][] = [
    ['is cancelled', 'CANCELLED', cancel],
    ['is paid', 'PAID', (reference) => simulate(service, merchant, reference)],
    [
      'fails',
      'FAILED',
      (reference) => simulate(service, merchant, reference, { outcome: 'technical_error' }),
    ],
  ]
  for (const [what, status, end] of ends)
    it(`can be reused 15 minutes after its intent ${what}, even if no sweep has run yet`, async () => {
      draws = fixDraws(11, 11, 12, 11)
      const { referenceNumber } = (await create()).body.data
      await end(referenceNumber)
      service.clock.advance(15 * minute - 5000)
      expect(await codeOf()).to.equal('000012')
      service.clock.advance(5000)
      expect(await codeOf()).to.equal('000011')
      expect(await holders('000011')).to.equal(1)
      const old = await service.deps.Intent.findOne({ referenceNumber }).lean()
      expect(old).to.have.property('status', status)
      expect(old).not.to.have.property('codeKey')
    })

  it('stays in use if a payment is declined', async () => {
    draws = fixDraws(16, 16, 17)
    const { referenceNumber, code } = (await create()).body.data
    await simulate(service, merchant, referenceNumber, { outcome: 'insufficient_funds' })
    service.clock.advance(15 * minute)
    expect([code, await codeOf()]).to.deep.equal(['000016', '000017'])
  })

  it('can be reused 15 minutes after its intent expires, even if no worker has written the expiry yet', async () => {
    draws = fixDraws(13, 13, 14, 13)
    await codeOf()
    service.clock.advance(day + 15 * minute - 5000)
    expect(await codeOf()).to.equal('000014')
    service.clock.advance(5000)
    expect(await codeOf()).to.equal('000013')
  })

  it("goes to only one of several concurrent create requests that draw it as soon as it's reusable", async () => {
    draws = fixDraws(15)
    await cancel((await create()).body.data.referenceNumber)
    service.clock.advance(15 * minute)
    const responses = await Promise.all(Array.from({ length: 8 }, () => create()))
    const statuses = responses.map(({ status }) => status)
    expect(statuses).to.have.members([201, ...Array.from({ length: 7 }, () => 503)])
    expect(await holders('000015')).to.equal(1)
  })
})
