import { join } from 'node:path'
import { checkoutAssets } from '../../src/checkout/layout.ts'
import type { Asset } from '../../src/http/pages/assets.ts'
import { personAssets } from '../../src/people-pages/frame.ts'
import { staffStylesheet } from '../../src/staff-pages/layout.ts'
import { built } from '../support/built.ts'

const pages = {
  'checkout/layout': checkoutAssets,
  'people-pages/frame': personAssets,
  'staff-pages/layout': [staffStylesheet],
}

describe('A build', () => {
  for (const [name, assets] of Object.entries(pages))
    it(`contains the stylesheets and scripts of ${name}`, async () => {
      const file = join(process.env.TEST_BUILD ?? built(), `src/${name}.js`)
      const exported = Object.values((await import(file)) as object).flat() as (Partial<Asset> | null)[]
      const found = exported.filter((each) => each?.content !== undefined)
      expect(found).to.deep.equal(assets)
    })
})
