import { apiRoutes } from '../../src/http/routes/routes.ts'
import { createIntent, freshDelivery, post, relay, subscribe } from '../support/actions.ts'
import type { EndpointServer } from '../support/endpoint-server.ts'
import type { Service } from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { type Block, blocksOf } from './pages.ts'
import { runProgram } from './program.ts'

export type Exchange = { operation: string; status: number; body: { success: boolean; data?: unknown } }
const reporting = `curl() { command curl -sS --max-time 15 -w '\\n%{http_code} %{method} %{url_effective}\\n' "$@"; }\n`
const blank = /^(export )?[A-Z]+=\S*….*$/gm
const shownProduct = '6920c1f4e9b0a7d25c41f803'

/** The API refuses future months and days, so a shown month becomes the current one, and its last days become today. */
export function inThisMonth(text: string): string {
  const today = new Date().toISOString().slice(0, 10)
  return text.replaceAll(/2026-11-[23]\d/g, today).replaceAll('2026-11', today.slice(0, 7))
}

export async function runCurl(service: Service, endpointServer: EndpointServer, block: Block) {
  const { environment } = await createFixture(service, endpointServer, block.text)
  const script = inThisMonth(block.text).replace(blank, '').replaceAll(shownProduct, environment.PRODUCT)
  const csv = blocksOf('docs/merchants/store.md').find(({ fence }) => fence === 'csv')?.text ?? ''
  const files = { 'block.sh': reporting + script, 'products.csv': csv }
  const printed = await runProgram(['sh', '-e', 'block.sh'], { files, environment, input: '' })
  return [...printed.matchAll(/^(.*)\n(\d{3}) ([A-Z]+) (\S+)$/gm)].map(
    ([, body = '', status, method = '', url = '']) => ({
      operation: `${method} ${new URL(url).pathname.replace('/api/v1', '')}`,
      status: Number(status),
      body: JSON.parse(body || '{"success":true}'),
    }),
  )
}

export const operationOf = (operation: string) =>
  apiRoutes.find(({ method, path }) =>
    new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(operation),
  )

export async function createFixture(service: Service, endpointServer: EndpointServer, program: string) {
  const merchant = await service.merchant()
  const { referenceNumber } = await createIntent(service, merchant)
  if (program.includes('/refund'))
    await post(service, merchant, `/intents/${referenceNumber}/simulate-payment`, '')
  const variants = [{ label: '250 g', price: 15_000, stock: 40 }]
  const product = program.includes('/store/') ? await createProduct(service, merchant, { variants }) : null
  const needsEndpoint = /ENDPOINT|DELIVERY/.test(program)
  const endpoint = needsEndpoint ? await subscribe(service, merchant, endpointServer.url) : null
  const delivery = needsEndpoint ? await freshDelivery(service, merchant) : null
  if (/\/dev\/events|event_?feed|followEvents/i.test(program)) await relay(service, merchant)
  const environment = {
    BASE: `${service.origin}/api/v1`,
    KEY: merchant.key,
    REFERENCE: referenceNumber,
    ENDPOINT: endpoint?.id ?? '',
    DELIVERY: delivery?._id ?? '',
    PRODUCT: product?._id ?? '',
    VARIANT: product?.variants[0]._id ?? '',
  }
  return { merchant, environment }
}
