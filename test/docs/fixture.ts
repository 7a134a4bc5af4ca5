import { createIntent, freshDelivery, post, relay, subscribe } from '../support/actions.ts'
import type { EndpointServer } from '../support/endpoint-server.ts'
import type { Merchant, Service } from '../support/service.ts'
import { createProduct } from '../support/store.ts'

export async function createFixture(
  service: Service,
  endpointServer: EndpointServer,
  program: string,
): Promise<{ merchant: Merchant; environment: Record<string, string> }> {
  const merchant = await service.merchant()
  const { referenceNumber } = await createIntent(service, merchant)
  if (program.includes('/refund'))
    await post(service, merchant, `/intents/${referenceNumber}/simulate-payment`, '')
  const variants = [{ label: '250 g', price: 15_000, stock: 40 }]
  const product = program.includes('/store/') ? await createProduct(service, merchant, { variants }) : null
  const needsEndpoint = /ENDPOINT|DELIVERY/.test(program)
  const endpoint = needsEndpoint ? await subscribe(service, merchant, endpointServer.url) : null
  const delivery = needsEndpoint ? await freshDelivery(service, merchant) : null
  if (program.includes('/dev/events')) await relay(service, merchant)
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
