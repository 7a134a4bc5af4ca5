import { createIntent } from '../support/actions.ts'
import { withServiceAndMerchant } from '../support/service.ts'

const lifetimeMs = 86_400_000

/** An intent is read just before its expiry and paid before the response is sent. It never expires. */
describe('A read so slow that the intent is paid and reaches its expiry time in the meantime', () => {
  const { service, merchant } = withServiceAndMerchant()
  let referenceNumber: string
  let shortCode: string
  beforeEach(async () => {
    service.clock.freeze(new Date('2034-01-01T00:00:00Z'))
    const created = await createIntent(service, merchant)
    referenceNumber = created.referenceNumber
    shortCode = created.shortCode
    service.clock.advance(lifetimeMs - 2000)
  })

  async function payAndWait() {
    const path = `/api/v1/dev/intents/${referenceNumber}/simulate-payment`
    await service.http.post(path).set(merchant.write()).send({}).expect(200)
    service.clock.advance(3000)
  }
  const get = async (path: string) => (await service.http.get(path).set(merchant.read())).body
  const statusNow = async () => (await get(`/api/v1/dev/intents/${referenceNumber}`)).data.status
  function delay(name: 'findIntent' | 'findOffered') {
    type Find = (key: string, deadlineAt: number) => Promise<unknown>
    const batchers = service.deps.batchers as Record<typeof name, Find>
    const find = batchers[name]
    batchers[name] = async (...args) => {
      batchers[name] = find
      const read = await find(...args)
      await payAndWait()
      return read
    }
  }

  it('returns PENDING for a single intent, but PAID on the next read', async () => {
    delay('findIntent')
    expect(await statusNow()).to.equal('PENDING')
    expect(await statusNow()).to.equal('PAID')
  })

  for (const query of ['', '?status=PENDING'])
    it(`returns PENDING in a list, but PAID on the next read: GET /dev/intents${query}`, async () => {
      const { collection } = service.deps.lists.models.Intent
      const { find } = collection
      collection.find = ((...args: Parameters<typeof find>) => {
        collection.find = find
        const cursor = find.apply(collection, args)
        const hasNext = cursor.hasNext.bind(cursor)
        cursor.hasNext = async () => {
          cursor.hasNext = hasNext
          const has = await hasNext()
          await payAndWait()
          return has
        }
        return cursor
      }) as typeof find
      const { items } = (await get(`/api/v1/dev/intents${query}`)).data
      expect(items[0]).to.include({ referenceNumber, status: 'PENDING' })
      expect(await statusNow()).to.equal('PAID')
    })

  it('shows the payment page as pending, but as paid on the next read', async () => {
    delay('findOffered')
    expect((await get(`/p/${shortCode}/status`)).state).to.equal('pending')
    expect((await get(`/p/${shortCode}/status`)).state).to.equal('paid')
  })
})
