import { queryWallet } from '../../src/intents/query-wallets.ts'
import type { Commission } from '../../src/wallets/commission.ts'
import { createIntent } from '../support/actions.ts'
import { pay, simulate, storedIntent } from '../support/pay.ts'
import { scriptedWallet } from '../support/scripted-wallet.ts'
import { withServiceAndMerchantPerTest } from '../support/service.ts'
import { withAdmin } from './admin.ts'
import { readable, signedIn } from './staff.ts'

const hourMs = 3_600_000

describe('npm run admin -- business commission', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const cli = withAdmin(service)

  const setRates = (provider: number, payer: number, ...more: string[]) => {
    const rates = ['--provider-bp', String(provider), '--payer-bp', String(payer)]
    return cli.here('business', 'commission', merchant.businessId, ...rates, ...more, '--json')
  }
  async function feesNow(): Promise<number[]> {
    const { referenceNumber } = await createIntent(service, merchant, { amount: 10_000 })
    const { body } = await simulate(service, merchant, referenceNumber)
    const { commission } = body.data.payment as { commission: Commission }
    return [commission.providerTtc, commission.payerTtc]
  }
  const auditLines = async () => {
    const lines = await service.deps.AuditEvent.find({ act: 'business.commission-set' })
      .sort({ _id: 1 })
      .lean()
    return lines
      .filter(({ businessId }) => businessId === merchant.businessId)
      .map(({ reason, before, after }) => ({ reason, before, after }))
  }

  it('sets the rates for later payments and changes nothing when repeated', async () => {
    expect(await feesNow()).to.deep.equal([200, 100])
    const { id, commission } = JSON.parse((await setRates(150, 0, '--reason', 'contract 12')).stdout)
    const [{ from, ...rates }, ...more] = commission
    expect([id, rates, more]).to.deep.equal([merchant.businessId, { provider: 150, payer: 0 }, []])
    expect(await feesNow()).to.deep.equal([150, 0])
    expect(JSON.parse((await setRates(150, 0)).stdout).commission).to.deep.equal(commission)
    const after = { provider: 150, payer: 0, from: new Date(from) }
    const unset = { provider: null, payer: null }
    expect(await auditLines()).to.deep.equal([{ reason: 'contract 12', before: unset, after }])
    const shown = await cli.done('business', 'show', merchant.businessId)
    expect(shown).to.deep.include({ commission })
    expect(shown['commissionRates']).to.deep.equal({ provider: 150, payer: 0, tof: 1400, tte: 200 })
    const { text } = await (await signedIn(service, 'viewer')).get(`/admin/businesses/${merchant.businessId}`)
    expect(readable(text)).to.match(/Commission merchant 1\.5 %, customer 0 % \(set for this business\)/)
  })

  it('schedules rates and drops any that were scheduled for the same time or later', async () => {
    const at = (hours: number) => new Date(service.clock.now().getTime() + hours * hourMs).toISOString()
    const [soon, later, latest] = [at(1), at(2), at(3)]
    for (const [from, provider] of [
      [soon, 10],
      [latest, 30],
      [later, 20],
    ] as const)
      expect((await setRates(provider, 5, '--from', from)).exitCode).to.equal(0)
    const { commission } = await service.deps.Business.findById(merchant.businessId).orFail().lean()
    const scheduled = commission.map(({ from, provider }) => `${from.toISOString()} ${provider}`)
    expect(scheduled).to.deep.equal([`${soon} 10`, `${later} 20`])
    expect((await auditLines()).at(-1)?.after).to.include({ scheduledRatesRemoved: 1 })
    expect(await feesNow()).to.deep.equal([200, 100])
    service.clock.advance(1.5 * hourMs)
    expect(await feesNow()).to.deep.equal([10, 5])
    service.clock.advance(hourMs)
    expect(await feesNow()).to.deep.equal([20, 5])
    service.clock.advance(-2.5 * hourMs)
  })

  it('refuses rates that start in the past or exceed 5000, and an unknown business', async () => {
    const faults = [
      [await setRates(1, 1, '--from', '2020-01-01'), /--from time is in the past/],
      [await setRates(5001, 1), /whole number from 0 to 5000/],
      [
        await cli.here('business', 'commission', 'none', '--provider-bp', '1', '--payer-bp', '1'),
        /no business none/,
      ],
    ] as const
    for (const [{ exitCode, stdout, stderr }, message] of faults) {
      expect([exitCode, stdout]).to.deep.equal([1, ''])
      expect(stderr).to.match(message)
    }
    expect(await auditLines()).to.deep.equal([])
  })

  it('does not change the commission of a payment in progress', async () => {
    const wallet = scriptedWallet(service)
    const { referenceNumber } = await createIntent(service, merchant, { amount: 10_000 })
    expect(await pay(service, referenceNumber)).to.deep.equal({ state: 'waiting' })
    const { _id, hold } = await storedIntent(service, referenceNumber)
    await setRates(0, 0)
    wallet.setStatus({ outcome: 'done' })
    service.clock.advance(60_000)
    await queryWallet(service.deps, _id, hold?.id ?? '')
    const { payment } = await storedIntent(service, referenceNumber)
    expect(wallet.queries[0]).to.include({ amount: 10_000, fee: 100 })
    expect(payment?.commission).to.deep.equal(hold?.commission)
    expect(payment?.commission).to.include({ providerTtc: 200, payerTtc: 100 })
  })
})
