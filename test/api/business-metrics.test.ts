import { expect } from 'chai'
import type { Intent } from '../../src/intents/intent.ts'
import { changeAsOperator, requestIntent } from '../support/actions.ts'
import { copyIntents, intentTemplate } from '../support/copy-intents.ts'
import { profiled } from '../support/profiled.ts'
import { type Merchant, withService } from '../support/service.ts'

describe('The metrics for the largest businesses', () => {
  const service = withService({
    LIVE_CODES_PER_BUSINESS: '20',
    SANDBOX_INTENTS_PER_DAY: '20',
    SANDBOX_BYTES_PER_DAY: '1000000',
  })

  /** The values of one metric by business, after all cached values have expired. */
  async function byBusiness(name: string): Promise<Record<string, number>> {
    service.clock.advance(601_000)
    const text = await (await fetch(`${service.origin}/metrics`)).text()
    const samples = text.matchAll(new RegExp(`^payment_intents_${name}\\{business="(\\w+)"\\} (\\S+)$`, 'gm'))
    return Object.fromEntries([...samples].map(([, business, value]) => [business, Number(value)]))
  }

  it('report the live payment codes of the ten businesses that use the largest shares of their quotas', async () => {
    const merchants = await Promise.all(Array.from({ length: 12 }, () => service.merchant({ mode: 'live' })))
    for (const merchant of merchants) await requestIntent(service, merchant)
    const [small] = merchants as [Merchant]
    const tests = await service.merchant()
    for (let made = 0; made < 5; made += 1) await requestIntent(service, tests)
    await changeAsOperator(service, small.businessId, { limits: { liveCodes: 2 } })
    await requestIntent(service, small)

    const codes = await byBusiness('business_live_codes')
    expect(Object.keys(codes)).to.have.length(10)
    expect(codes).to.include({ [small.businessId]: 2 })
    const shares = await byBusiness('business_live_codes_used_ratio')
    expect(shares).to.include({ [small.businessId]: 1 })
    const others = Object.entries(shares).filter(([business]) => business !== small.businessId)
    // Creates that ran during the last count may count twice.
    for (const [, share] of others) expect(share).to.be.within(0.05, 0.2)
  })

  it('report the used share of each daily quota of the ten businesses nearest to it', async () => {
    const merchants = await Promise.all(Array.from({ length: 12 }, () => service.merchant()))
    for (const merchant of merchants) await requestIntent(service, merchant)
    const [small] = merchants as [Merchant]
    await changeAsOperator(service, small.businessId, { limits: { sandboxIntentsPerDay: 2 } })
    await requestIntent(service, small)
    service.clock.advance(61_000)
    const text = await (await fetch(`${service.origin}/metrics`)).text()
    const shares = [
      ...text.matchAll(/^payment_intents_business_quota_used_ratio\{business="(\w+)",quota="(\w+)"\} (\S+)$/gm),
    ]
    const of = (quota: string) =>
      new Map(shares.flatMap(([, id, name, share]) => (name === quota ? [[id, Number(share)]] : [])))
    expect(of('sandbox_creates').size).to.equal(10)
    expect(of('sandbox_creates').get(small.businessId)).to.equal(1)
    expect(of('sandbox_bytes').size).to.equal(10)
    expect(of('live_bytes').size).to.equal(0)
  })

  it("estimate a business's stored bytes from a thousand documents of each kind", async () => {
    const [large, small] = await Promise.all([service.merchant(), service.merchant()])
    const copy = async (merchant: Merchant, count: number, changes: Partial<Intent>) => {
      await copyIntents(service, await intentTemplate(service, merchant), count, () => changes)
      const { businessId } = merchant
      const [sum] = await service.deps.Intent.aggregate<{ bytes: number }>([
        { $match: { businessId } },
        { $group: { _id: null, bytes: { $sum: { $bsonSize: '$$ROOT' } } } },
      ])
      return sum?.bytes ?? 0
    }
    const metadata = [{ key: 'note', value: 'x'.repeat(500) }]
    const stored = { large: await copy(large, 900, { metadata }), small: await copy(small, 450, {}) }
    let reported: Record<string, number> = {}
    const operations = await profiled(service, async () => {
      reported = await byBusiness('business_stored_bytes')
    })
    expect(Object.keys(reported)[0]).to.equal(large.businessId)
    expect(Number(reported[large.businessId]) / stored.large).to.be.within(0.85, 1.15)
    expect(Number(reported[small.businessId]) / stored.small).to.be.within(0.75, 1.25)
    const samples = operations.filter(({ command }) => JSON.stringify(command).includes('$bsonSize'))
    expect(samples.length).to.be.within(3, 6)
    for (const { planSummary, docsExamined, hasSortStage } of samples) {
      expect(planSummary).to.match(/^IXSCAN/)
      expect(docsExamined).to.be.at.most(1000)
      expect(hasSortStage).to.not.equal(true)
    }
    const again = await profiled(service, () => fetch(`${service.origin}/metrics`))
    expect(again.filter(({ command }) => JSON.stringify(command).includes('$bsonSize'))).to.deep.equal([])
  })
})
