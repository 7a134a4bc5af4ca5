import { createSecretKey, randomBytes } from 'node:crypto'
import mongoose from 'mongoose'
import { createShortCodePool, generateShortCodes } from '../../src/intents/codes.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { rawCollection } from '../../src/mongo/collection.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { isShortCode, shortCodeCount } from '../../src/platform/ids.ts'
import { runCleanUp } from '../../src/retention/clean-up.ts'
import { startCounts } from '../../src/retention/cleaning.ts'
import { createEncrypter } from '../../src/security/encrypt.ts'
import { reencryptField } from '../../src/security/reencrypt.ts'
import { findServiceKey } from '../../src/security/service-keys.ts'
import { createIntent, openSecondProcess } from '../support/actions.ts'
import { copyIntents, intentTemplate } from '../support/copy-intents.ts'
import { profiled } from '../support/profiled.ts'
import { recordLog } from '../support/recorded-log.ts'
import { intents, secretKey, withMerchantPerTest, withServicePerTest } from '../support/service.ts'

const block = 256
type Codes = Pick<Deps['shortCodes'], 'take'>

const takeAll = (pool: Codes, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => pool.take(noDeadline)))

describe('A short code', () => {
  const service = withServicePerTest({ SANDBOX_RETENTION_DAYS: '1' })
  const merchant = withMerchantPerTest(service)
  const create = (key?: string) => service.http.post(intents).set(merchant.write(key)).send({ amount: 5 })
  const anotherPool = (changes: Partial<Parameters<typeof createShortCodePool>[0]> = {}) => {
    const { ServiceKey, Intent, secrets, log } = service.deps
    return createShortCodePool({ ServiceKey, Intent, secrets, log, ...changes })
  }
  const keys = () => rawCollection(service.deps.ServiceKey)
  const stored = async () => (await keys().findOne({ _id: 'shortCodes' })) ?? expect.fail()
  const setUsed = (used: number) => keys().updateOne({ _id: 'shortCodes' }, { $set: { used } })
  const keyOf = async () => (await findServiceKey(service.deps, 'shortCodes')) ?? expect.fail()
  const expectRefused = async (key?: string) => {
    const count = await service.deps.Intent.countDocuments()
    const { status, headers, body } = await create(key)
    const refusal = [status, body.error.code, headers['retry-after']]
    expect(refusal).to.deep.equal([503, 'SERVICE_UNAVAILABLE', '30'])
    expect(await service.deps.Intent.countDocuments()).to.equal(count)
  }

  it('is derived from its number and the key, and is unique per number', () => {
    // Computed with another program.
    const key = createSecretKey(Buffer.from(Array.from({ length: 32 }, (_, index) => index)))
    expect(generateShortCodes(key, 0, 3)).to.deep.equal(['ZZ8FF4', 'PPZGYY', 'ZY3M8K'])
    expect(generateShortCodes(key, block - 1, 1)).to.deep.equal(['QSXS8T'])
    expect(generateShortCodes(key, shortCodeCount - 1, 1)).to.deep.equal(['FDWQZ7'])
    // Random codes would repeat about 30 times.
    const many = generateShortCodes(createSecretKey(randomBytes(32)), shortCodeCount - 2 ** 18, 2 ** 18)
    expect(new Set(many).size).to.equal(2 ** 18)
    expect(many.filter((code) => !isShortCode(code))).to.deep.equal([])
  })

  it('is never reused, even after its intent was removed or its process was killed', async () => {
    const { referenceNumber, shortCode } = await createIntent(service, merchant)
    await service.http.post(`${intents}/${referenceNumber}/cancel`).set(merchant.write()).expect(200)
    await service.deps.Intent.updateOne({ referenceNumber }, { $set: { outbox: [] } })
    service.clock.advance(2 * 86_400_000)
    const { counts, watch } = startCounts({ count: () => undefined, done: () => undefined })
    await runCleanUp(service.deps, new AbortController().signal, watch)
    expect(counts.intents).to.equal(1)
    const key = await keyOf()
    expect(generateShortCodes(key, 0, block)).to.include(shortCode)
    const killed = await takeAll(anotherPool(), 3)
    expect(generateShortCodes(key, block, block)).to.include.members(killed)
    expect(await takeAll(anotherPool(), block)).to.have.members(generateShortCodes(key, 2 * block, block))
  })

  it('is never issued twice, even if two processes create the key at the same time', async () => {
    const second = await openSecondProcess(service)
    const pools = [service, second, service, second].map(({ deps }) => createShortCodePool(deps))
    const codes = (await Promise.all(pools.map((pool) => takeAll(pool, 3 * block)))).flat()
    expect(new Set(codes).size).to.equal(12 * block)
    expect(await keys().countDocuments({})).to.equal(1)
    const { used = 0 } = await stored()
    expect(generateShortCodes(await keyOf(), 0, used)).to.include.members(codes)
    await second.close()
  })

  it('is skipped if it is unknown whether its reservation was stored', async () => {
    const native = keys()
    const { findOneAndUpdate } = native
    let calls = 0
    native.findOneAndUpdate = (async (...args: unknown[]) => {
      const result = await (findOneAndUpdate as (...args: unknown[]) => Promise<unknown>).apply(native, args)
      calls += 1
      // Loses the responses about the new key and the first block.
      if (calls === 1 || calls === 3) throw new mongoose.mongo.MongoNetworkError('connection closed')
      return result
    }) as never
    for (const _lost of ['key', 'block']) {
      const { status, headers } = await create('lost')
      expect([status, headers['retry-after']]).to.deep.equal([503, '2'])
    }
    const { body } = await create('lost').expect(201)
    expect(generateShortCodes(await keyOf(), block, block)).to.include(body.data.shortCode)
    expect((await create('lost').expect(201)).body).to.deep.equal(body)
  })

  it('is not used up by a request whose concurrent duplicate creates the intent', async () => {
    const { shortCodes } = service.deps
    const next = await takeAll(shortCodes, 2)
    for (const code of next) shortCodes.giveBack(code)
    const [one, twin] = await Promise.all([create('twin').expect(201), create('twin').expect(201)])
    expect(one.body).to.deep.equal(twin.body)
    expect([one.body.data.shortCode, ...(await takeAll(shortCodes, 1))]).to.have.members(next)
  })

  it('never delays a create request while the next codes are being reserved', async () => {
    const native = keys()
    const pool = anotherPool()
    await pool.take(noDeadline)
    let isReserving = false
    native.findOneAndUpdate = () => {
      isReserving = true
      return new Promise<never>(() => undefined)
    }
    await takeAll(pool, block - 1)
    expect(isReserving).to.equal(true)
  })

  it("is not reserved after the request's deadline", async () => {
    const late = await anotherPool()
      .take(performance.now())
      .catch((error: { code: string }) => error.code)
    expect(late).to.equal('SERVICE_UNAVAILABLE')
    expect(await keys().countDocuments({})).to.equal(0)
  })

  it('is derived from the same key after SECRET_KEY is rotated', async () => {
    const [old, current] = [Buffer.from(secretKey, 'base64'), randomBytes(32)]
    await takeAll(anotherPool(), 1)
    const key = await keyOf()
    const rotating = { secrets: createEncrypter([current, old]) }
    const reencrypted = await reencryptField(rotating, service.deps.ServiceKey, 'key')
    expect(reencrypted).to.deep.equal({ reencrypted: 1, unreadable: [] })
    const codes = await takeAll(anotherPool({ secrets: createEncrypter([current]) }), block)
    expect(codes).to.have.members(generateShortCodes(key, block, block))
  })

  it('is not issued, and create requests fail, until a configured SECRET_KEY can decrypt the short-code key', async () => {
    const first = await create().expect(201)
    const before = await stored()
    const { log, lines } = recordLog()
    service.deps.shortCodes = anotherPool({ secrets: createEncrypter([randomBytes(32)]), log })
    await expectRefused('again')
    await expectRefused('again')
    const logged = lines().map(({ level, msg, remedy }) => [level, msg, remedy])
    const remedy = 'Set the earlier SECRET_KEY as SECRET_KEY_PREVIOUS.'
    expect(logged).to.deep.equal([[50, 'shortcodes.key-unreadable', remedy]])
    expect(await stored()).to.deep.equal(before)
    const secrets = createEncrypter([randomBytes(32), Buffer.from(secretKey, 'base64')])
    service.deps.shortCodes = anotherPool({ secrets })
    expect((await create('again').expect(201)).body.data.shortCode).to.not.equal(first.body.data.shortCode)
  })

  it('is found with few writes even if the counter was set back far behind existing intents', async () => {
    const template = await intentTemplate(service, merchant)
    const codes = generateShortCodes(await keyOf(), 0, 5000)
    // The last process left some of its codes unused.
    await copyIntents(service, template, 4900, (index) => ({ shortCode: codes[index] ?? '' }))
    await setUsed(0)
    service.deps.shortCodes = anotherPool()
    const writes = (await profiled(service, () => create().expect(201))).filter(
      ({ ns, command }) => ns.endsWith('.servicekeys') && 'findAndModify' in command,
    )
    expect(writes.length).to.be.lessThan(8)
    const { used = 0 } = await stored()
    expect(used).to.be.within(5000, 10_000)
    await service.deps.Intent.deleteMany({})
    await keys().deleteOne({ _id: 'shortCodes' })
    const another = anotherPool()
    const [code = ''] = await takeAll(another, 1)
    const next = generateShortCodes(await keyOf(), block, block)
    await copyIntents(service, template, 100, (index) => ({ shortCode: next[index] ?? '' }))
    const rest = await takeAll(another, 2 * block - 101)
    expect([code, ...rest]).to.have.members([
      ...generateShortCodes(await keyOf(), 0, block),
      ...next.slice(100),
    ])
  })

  it('is no longer available once all have been issued, and create requests then fail', async () => {
    await createIntent(service, merchant)
    await setUsed(shortCodeCount - block)
    const last = await takeAll(anotherPool(), block)
    expect(last).to.have.members(generateShortCodes(await keyOf(), shortCodeCount - block, block))
    service.deps.shortCodes = anotherPool()
    await expectRefused()
    expect(await stored()).to.include({ used: shortCodeCount })
  })
})
