import { lockDocument } from '../support/lock.ts'
import { profiled } from '../support/profiled.ts'
import { withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const dayMs = 86_400_000

describe('The last used day of an API key', () => {
  const service = withService()
  const stored = async (id: string) => (await service.deps.ApiKey.findById(id).lean())?.lastUsedDay
  /** Unlike a list, this never waits for a slot. A permitted key gets 404. */
  const get = (key: string) =>
    fetch(`${service.origin}/api/v1/dev/intents/PI-NONE`, { headers: { Authorization: `Bearer ${key}` } })

  const isStoredAfterUse = async ({ key, keyId }: { key: string; keyId: string }) =>
    (await get(key)).status === 404 && (await stored(keyId)) !== null

  it("is the UTC day of the key's last successful use and is written once a day", async () => {
    const { businessId } = await service.merchant()
    const used = await service.key(businessId)
    const refused = await service.key(businessId, { ipAllowlist: ['192.0.2.1'] })
    for (const days of [0, 1]) {
      service.clock.freeze(new Date(Date.UTC(2036, 5, 1, 23, 59) + days * dayMs))
      const day = `2036-06-0${days + 1}`
      const operations = await profiled(service, async () => {
        const responses = await Promise.all(Array.from({ length: 20 }, () => get(used.key)))
        expect(new Set(responses.map(({ status }) => status))).to.deep.equal(new Set([404]))
        await waitFor('the day', async () => (await stored(used.id)) === day)
        expect((await get(used.key)).status).to.equal(404)
        expect((await get(refused.key)).status).to.equal(403)
      })
      const writes = operations.filter(({ ns, command }) => ns.endsWith('.apikeys') && 'q' in command)
      expect(writes).to.have.lengthOf(1)
    }
    expect(await stored(refused.id)).to.equal(null)
  })

  it("is written at the next use if it couldn't be written before", async () => {
    const { key, keyId } = await service.merchant()
    const { bulkWrite } = service.deps.ApiKey.collection
    service.deps.ApiKey.collection.bulkWrite = () => Promise.reject(new Error('MongoDB is unavailable'))
    expect((await get(key)).status).to.equal(404)
    service.deps.ApiKey.collection.bulkWrite = bulkWrite
    await waitFor('the day', () => isStoredAfterUse({ key, keyId }))
  })

  it('is still written for other keys while a dead process holds a lock on one', async () => {
    const [locked, other] = await Promise.all([service.merchant(), service.merchant()])
    const free = await lockDocument(service, service.deps.ApiKey, locked.keyId)
    // The first two updates share a batch.
    const responses = await Promise.all([get(locked.key), get(other.key)])
    expect(responses.map(({ status }) => status)).to.deep.equal([404, 404])
    await waitFor('the day', async () => (await stored(other.keyId)) !== null)
    expect(await stored(locked.keyId)).to.equal(null)
    await free()
    await waitFor('the day', () => isStoredAfterUse(locked))
  })
})
