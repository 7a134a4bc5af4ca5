import type { AreaPages } from '../people-pages/router.ts'
import { serveVisit } from '../people-pages/serve.ts'

export const portal: AreaPages = {
  path: '/portal',
  navigation: () => [],
  addPages(router) {
    router.get(
      '/',
      serveVisit('read-payments', async () => ({ title: 'portal', body: '<h1>portal</h1>' })),
    )
  },
}
