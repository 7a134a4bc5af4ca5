import type { Intent } from '../../src/intents/intent.ts'
import { changeAsOperator, requestIntent } from '../support/actions.ts'
import { copyIntents, intentTemplate } from '../support/copy-intents.ts'
import { type Merchant, withService } from '../support/service.ts'

describe('The metrics endpoint', () => {
  const few = { LIVE_CODES_PER_BUSINESS: '20', SANDBOX_INTENTS_PER_DAY: '20' }
  const service = withService({ ...few, SANDBOX_BYTES_PER_DAY: '1000000' })

  /** Reads one metric per business, after all caches have expired. */
  async function byBusiness(name: string, labels = ''): Promise<Record<string, number>> {
    service.clock.advance(601_000)
    const text = await (await fetch(`${service.origin}/metrics`)).text()
    const line = new RegExp(`^payment_intents_${name}\\{business="(\\w+)"${labels}\\} (\\S+)$`, 'gm')
    const samples = text.matchAll(line)
    return Object.fromEntries([...samples].map(([, business, value]) => [business, Number(value)]))
  }
  const usedOf = (quota: string) => byBusiness('business_quota_used_ratio', `,quota="${quota}"`)

  it('reports quota usage for the ten businesses closest to their quotas', async () => {
    service.clock.freeze(new Date('2036-03-01T12:00:00Z'))
    for (const [mode, quota, limits] of [
      ['live', 'liveCodes', { liveCodes: 2 }],
      ['test', 'sandboxCreates', { sandboxIntentsPerDay: 2 }],
    ] as const) {
      const merchants = await Promise.all(Array.from({ length: 12 }, () => service.merchant({ mode })))
      for (const merchant of merchants) await requestIntent(service, merchant)
      const [small] = merchants as [Merchant]
      await changeAsOperator(service, small.businessId, { limits })
      await requestIntent(service, small)
      const shares = await usedOf(quota)
      expect(Object.keys(shares)).to.have.length(10)
      expect(shares).to.include({ [small.businessId]: 1 })
      const others = Object.entries(shares).filter(([business]) => business !== small.businessId)
      // Create requests that run during the last count may be counted twice.
      for (const [, share] of others) expect(share).to.be.within(0.05, 0.2)
    }
    expect(Object.keys(await usedOf('sandboxBytes'))).to.have.length(10)
    expect(await usedOf('liveBytes')).to.deep.equal({})
    service.clock.freeze(null)
  })

  it("estimates a business's stored bytes from samples", async () => {
    const [large, small] = await Promise.all([service.merchant(), service.merchant()])
    const copy = async (merchant: Merchant, count: number, changes: Partial<Intent>) => {
      await copyIntents(service, await intentTemplate(service, merchant), count, () => changes)
      const [sum] = await service.deps.Intent.aggregate<{ bytes: number }>([
        { $match: { businessId: merchant.businessId } },
        { $group: { _id: null, bytes: { $sum: { $bsonSize: '$$ROOT' } } } },
      ])
      return sum?.bytes ?? 0
    }
    const metadata = [{ key: 'note', value: 'x'.repeat(500) }]
    const stored = { large: await copy(large, 900, { metadata }), small: await copy(small, 450, {}) }
    const reported = await byBusiness('business_stored_bytes')
    expect(Object.keys(reported)[0]).to.equal(large.businessId)
    expect(Number(reported[large.businessId]) / stored.large).to.be.within(0.85, 1.15)
    expect(Number(reported[small.businessId]) / stored.small).to.be.within(0.75, 1.25)
  })
})
