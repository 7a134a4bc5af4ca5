import type { AreaPages } from '../people-pages/router.ts'
import { serveVisit } from '../people-pages/serve.ts'

export const till: AreaPages = {
  path: '/till',
  navigation: () => [],
  addPages(router) {
    router.get(
      '/',
      serveVisit('use-till', async () => ({ title: 'till', body: '<h1>till</h1>' })),
    )
  },
}
