import { returnUrl } from '../../src/checkout/offer.ts'
import type { Intent } from '../../src/intents/intent.ts'

const intent = { referenceNumber: 'PI-1', status: 'PAID', cancelUrl: null } as Intent
const back = (successUrl: string) => returnUrl({ ...intent, successUrl }, 'paid')

describe('The link back to the merchant', () => {
  const added = 'reference=PI-1&status=PAID'
  const kept: Record<string, string> = {
    'https://shop.example': `https://shop.example?${added}`,
    'https://shop.example/ok': `https://shop.example/ok?${added}`,
    'https://shop.example/ok?': `https://shop.example/ok?${added}`,
    'https://shop.example/ok#end?a': `https://shop.example/ok?${added}#end?a`,
    'https://Shop.example:443/a/../ok?a=1&&b=2#x': `https://Shop.example:443/a/../ok?a=1&&b=2&${added}#x`,
    'https://shop.example/ok?a=1&': `https://shop.example/ok?a=1&&${added}`,
    "https://shop.example/ok?x='é&y=%20+": `https://shop.example/ok?x='é&y=%20+&${added}`,
    'https://shop.example/ok?status=x&reference=y&a=?': `https://shop.example/ok?status=x&reference=y&a=?&${added}`,
  }
  for (const [url, whole] of Object.entries(kept))
    it(`keeps every byte of the merchant's URL and adds the reference and the status: ${url}`, () =>
      expect(back(url)).to.equal(whole))

  it('is absent if the merchant provided no URL', () => expect(returnUrl(intent, 'cancelled')).to.equal(null))
})
