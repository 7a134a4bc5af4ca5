import { randomBytes, randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { formFor } from '../dev/form.ts'
import { alternateFor, type Benchmark } from './benchmark.ts'
import { inParallel, type Merchant, openApi, order } from './calls.ts'
import type { Call, Timed } from './requests.ts'
import { sendOnce } from './send-calls.ts'
import { startBare, startWeb, withService } from './setting.ts'
import { rateLines } from './table.ts'

const MERCHANTS = 20
const MAX_PER_SECOND = { service: 2500, bare: 6000 }
const typed = { phone: '22000001', pin: '1234' }

export const pay: Benchmark = {
  describe: ({ seconds }) =>
    "the form of one `web`'s hosted page, live, by a provider that responds at once ÷ a bare Express 5 form with one findOneAndUpdate; " +
    `both w:majority j:true, 64 connections, ${seconds} s in turns`,
  takesSeconds: ({ rounds, seconds }) => 40 + rounds * 5 * seconds,
  async measure(bench) {
    const provider = await startWeb(bench, 'provider', 'bench/provider.ts', {})
    const environment = {
      WALLET_PROVIDER_URL: provider.origin,
      WALLET_PROVIDER_KEY: randomBytes(32).toString('hex'),
    }
    const wanted = { environment, merchants: MERCHANTS, mode: 'live', worker: false } as const
    const pairs = await withService(bench, 'pay', wanted, async ({ service, merchants, database }) => {
      const bare = await startBare(bench, 'pay', 'pay')
      const payments = database.collection<{ _id: string }>('bare')
      let sent = 0
      const onService = sendOnce(bench.runtime, service.web.origin, MAX_PER_SECOND.service, (count) =>
        fillForms(service.web.origin, merchants, count),
      )
      const counted = async (seconds: number): Promise<Timed> => {
        const timed = await onService(seconds)
        sent += timed.sent
        return timed
      }
      const onBare = sendOnce(bench.runtime, bare.origin, MAX_PER_SECOND.bare, async (count) => {
        const ids = Array.from({ length: count }, () => randomUUID())
        const pending = { status: 'PENDING', amount: order.amount }
        if (count > 0) await payments.insertMany(ids.map((_id) => ({ _id, ...pending })))
        return ids.map((id) => ({
          method: 'POST',
          path: `/p/${id}`,
          form: new URLSearchParams(typed).toString(),
        }))
      })
      const measured = await alternateFor(bench, { warmUp: 3, measured: bench.seconds }, counted, onBare)
      // A 303 can lead to a page with an error.
      const paid = await database.collection('intents').countDocuments({ status: 'PAID' })
      if (paid !== sent) throw new Error(`${sent} forms were sent, and ${paid} intents are PAID`)
      await bare.end()
      return measured
    })
    await provider.end()
    return rateLines('pay, payments/s', pairs, '≥ 0.55')
  },
}

/** Opens the pages of new intents, so that the forms only need to be sent. Each form has its own token. */
async function fillForms(origin: string, merchants: Merchant[], count: number): Promise<Call[]> {
  const api = openApi(origin)
  const pages = new Pool(origin, { connections: 64 })
  const forms: Call[] = []
  await inParallel(count, async (index) => {
    const { payUrl } = await api.post<{ payUrl: string }>(merchants[index % MERCHANTS], '/intents', order)
    const path = new URL(payUrl).pathname
    const page = await pages.request({ path, method: 'GET' })
    const text = await page.body.text()
    if (page.statusCode !== 200) throw new Error(`GET ${path} got ${page.statusCode}`)
    const { fields, url } = formFor('pin', text, origin + path)
    const form = new URLSearchParams({ ...fields, ...typed }).toString()
    forms.push({ method: 'POST', path: new URL(url).pathname, form })
  })
  await Promise.all([api.close(), pages.close()])
  return forms
}
