import { createEndpointBody } from '../../../schemas/create-endpoint.ts'
import { pageQuery } from '../../../schemas/page.ts'
import { testResult } from '../../../schemas/responses/delivery.ts'
import {
  deletedEndpoint,
  endpoint,
  endpointPage,
  endpointWithSecret,
} from '../../../schemas/responses/endpoint.ts'
import { id, saying } from '../../../schemas/responses/fields.ts'
import { testEndpointBody } from '../../../schemas/test-endpoint.ts'
import { updateEndpointBody } from '../../../schemas/update-endpoint.ts'
import * as example from './endpoints-example.ts'
import type { About } from './openapi-text.ts'
import { pageWith } from './page-example.ts'

const params = { id: saying('`id` of the endpoint.', id) }
const ofOne = { id: example.endpointId }

export const aboutEndpoints = {
  create: {
    operationId: 'createWebhookEndpoint',
    tag: 'Webhook endpoints',
    summary: 'Register an endpoint',
    description: 'A business can have at most 5. Store the `secret`: it is shown only here.',
    params: {},
    query: null,
    body: createEndpointBody,
    answer: endpointWithSecret,
    errors: ['EVENTS_NOT_PERMITTED', 'MAX_ENDPOINTS_REACHED'],
    example: { body: example.asked, answer: example.created },
  },
  update: {
    operationId: 'updateWebhookEndpoint',
    tag: 'Webhook endpoints',
    summary: 'Change an endpoint',
    description: 'Omitted fields keep their values.',
    params,
    query: null,
    body: updateEndpointBody,
    answer: endpoint,
    errors: ['ENDPOINT_NOT_FOUND', 'EVENTS_NOT_PERMITTED'],
    example: { params: ofOne, body: example.change, answer: example.changed },
  },
  delete: {
    operationId: 'deleteWebhookEndpoint',
    tag: 'Webhook endpoints',
    summary: 'Delete an endpoint',
    description: 'Its open deliveries become CANCELLED. A request in progress is cut off within 3 s.',
    params,
    query: null,
    body: null,
    answer: deletedEndpoint,
    errors: ['ENDPOINT_NOT_FOUND'],
    example: { params: ofOne, answer: example.deleted },
  },
  test: {
    operationId: 'testWebhookEndpoint',
    tag: 'Webhook endpoints',
    summary: 'Send a test to an endpoint',
    description:
      'Makes one signed attempt with sample data now. The status is 200 even if the attempt fails: read `delivered`. The response takes as long as your endpoint, up to the timeout of a webhook.',
    params,
    query: null,
    body: testEndpointBody,
    answer: testResult,
    errors: ['ENDPOINT_NOT_FOUND', 'EVENTS_NOT_PERMITTED'],
    example: { params: ofOne, body: { event: 'payment.confirmed' }, answer: example.tested },
  },
  rotateSecret: {
    operationId: 'rotateWebhookSecret',
    tag: 'Webhook endpoints',
    summary: "Rotate an endpoint's secret",
    description: 'For 24 hours, deliveries also carry a signature with the old secret, in a second header.',
    params,
    query: null,
    body: null,
    answer: endpointWithSecret,
    errors: ['ENDPOINT_NOT_FOUND'],
    example: { params: ofOne, answer: example.rotated },
  },
  list: {
    operationId: 'listWebhookEndpoints',
    tag: 'Webhook endpoints',
    summary: 'List endpoints',
    description: 'Newest first, without their secrets.',
    params: {},
    query: pageQuery,
    body: null,
    answer: endpointPage,
    errors: [],
    example: { answer: pageWith(example.endpoint, 20) },
  },
} as const satisfies Record<string, About>
