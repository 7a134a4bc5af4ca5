import { expect } from 'chai'
import { createIntent } from '../support/actions.ts'
import { withMerchant, withService } from '../support/service.ts'

const lifetimeMs = 86_400_000

/**
 * Who asks for an intent just before its time is up, and is answered after it. Meanwhile it is paid, so it never expires: neither may
 * the answer say so, although what was read is PENDING and its time is up.
 */
describe('A read that takes longer than the intent lives returns its expiry', () => {
  const service = withService()
  const merchant = withMerchant(service)
  let referenceNumber: string
  let shortCode: string
  beforeEach(async () => {
    service.clock.freeze(new Date('2034-01-01T00:00:00Z'))
    const created = await createIntent(service, merchant)
    referenceNumber = created.referenceNumber
    shortCode = created.shortCode
    service.clock.advance(lifetimeMs - 2000)
  })

  /** What happens between the read and the answer. */
  async function payAndWait() {
    await service.http
      .post(`/api/v1/dev/intents/${referenceNumber}/simulate-payment`)
      .set(merchant.write())
      .send({})
      .expect(200)
    service.clock.advance(3000)
  }

  const get = async (path: string) => (await service.http.get(path).set(merchant.read())).body
  const statusNow = async () => (await get(`/api/v1/dev/intents/${referenceNumber}`)).data.status

  /** The next read by this batcher lasts until it is paid. */
  function delay(name: 'findIntent' | 'findOffered') {
    const batchers = service.deps.batchers as Record<
      typeof name,
      (key: string, until: number) => Promise<unknown>
    >
    const find = batchers[name]
    batchers[name] = async (...asked) => {
      batchers[name] = find
      const read = await find(...asked)
      await payAndWait()
      return read
    }
  }

  it('by its reference', async () => {
    delay('findIntent')
    expect(await statusNow()).to.equal('PENDING')
    expect(await statusNow()).to.equal('PAID')
  })

  for (const query of ['', '?status=PENDING'])
    it(`in a list${query}`, async () => {
      const { collection } = service.deps.lists.models.Intent
      const { find } = collection
      collection.find = ((...asked: Parameters<typeof find>) => {
        collection.find = find
        const cursor = find.apply(collection, asked)
        const next = cursor.next.bind(cursor)
        cursor.next = async () => {
          cursor.next = next
          const read = await next()
          await payAndWait()
          return read
        }
        return cursor
      }) as typeof find
      const { items } = (await get(`/api/v1/dev/intents${query}`)).data
      expect(items[0]).to.include({ referenceNumber, status: 'PENDING' })
      expect(await statusNow()).to.equal('PAID')
    })

  it('on the page of the payment', async () => {
    delay('findOffered')
    expect((await get(`/p/${shortCode}/status`)).state).to.equal('pending')
    expect((await get(`/p/${shortCode}/status`)).state).to.equal('paid')
  })
})
