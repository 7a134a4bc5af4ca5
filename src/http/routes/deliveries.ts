import type { ListDeliveriesQuery } from '../../../schemas/deliveries.ts'
import { findDeliveryWhole } from '../../webhooks/deliveries/find.ts'
import { listDeliveries, parseDeliverySearch } from '../../webhooks/deliveries/list.ts'
import { presentDeliveries, presentDeliveryWhole } from '../../webhooks/deliveries/present.ts'
import { findRetried, retryDelivery } from '../../webhooks/deliveries/retry.ts'
import { parseRetryFilter, retryMatching } from '../../webhooks/deliveries/retry-matching.ts'
import type { OperationInput, Route } from '../operations/route.ts'
import { aboutDeliveries } from './deliveries-openapi.ts'

/** The operations on webhook deliveries (SPEC 4.8). */
export const deliveryRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/dev/webhooks/events',
    about: aboutDeliveries.list,
    shows: 'delivery',
    isPage: true,
    scope: 'webhooks.deliveries:read',
    run: async (deps, caller, { query }: OperationInput<ListDeliveriesQuery>) => {
      const { items, ...page } = await listDeliveries(deps, caller, parseDeliverySearch(query))
      return { items: await presentDeliveries(deps, caller, items), ...page }
    },
  },
  {
    method: 'get',
    path: '/dev/webhooks/events/:id',
    about: aboutDeliveries.get,
    shows: 'wholeDelivery',
    scope: 'webhooks.deliveries:read',
    run: async (deps, caller, { params }) =>
      presentDeliveryWhole(deps, caller, await findDeliveryWhole(deps, caller, params.id ?? '')),
  },
  {
    method: 'post',
    path: '/dev/webhooks/events/retry',
    about: aboutDeliveries.retryMatching,
    scope: 'webhooks.deliveries:write',
    findEffect: (deps, caller, _params, request) => findRetried(deps, caller, '', request),
    run: (deps, caller, { body }, request) => retryMatching(deps, caller, parseRetryFilter(deps, body), request),
  },
  {
    method: 'post',
    path: '/dev/webhooks/events/:id/retry',
    about: aboutDeliveries.retry,
    scope: 'webhooks.deliveries:write',
    findEffect: (deps, caller, { id = '' }, request) => findRetried(deps, caller, id, request),
    run: (deps, caller, { params: { id = '' } }, request) => retryDelivery(deps, caller, id, request),
  },
]
