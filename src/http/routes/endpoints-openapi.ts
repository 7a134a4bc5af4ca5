import {
  createEndpointBody,
  listEndpointsQuery,
  testEndpointBody,
  updateEndpointBody,
} from '../../../schemas/endpoints.ts'
import { described, id } from '../../../schemas/responses/fields.ts'
import {
  deletedEndpoint,
  endpoint,
  endpointPage,
  endpointWithSecret,
  testResult,
} from '../../../schemas/responses/webhooks.ts'
import * as example from './endpoints-example.ts'
import { inSection, pageWith } from './openapi-text.ts'

const params = { id: described('The `id` of the endpoint.', id) }
const ofOne = { id: example.endpointId }

export const aboutEndpoints = inSection('Webhook endpoints', {
  create: {
    operationId: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description:
      'Registers a URL that receives your events: with a test key those of the sandbox, with a live key also live ones. A business can have at most 5 endpoints in both environments together. Store the `secret`, with which you verify signatures: this is the only response that contains it.',
    body: createEndpointBody,
    response: endpointWithSecret,
    errors: ['EVENTS_NOT_PERMITTED', 'MAX_ENDPOINTS_REACHED'],
    example: { body: example.request, response: example.created },
  },
  update: {
    operationId: 'updateWebhookEndpoint',
    summary: 'Update a webhook endpoint',
    description:
      'Changes the fields that you send. Omitted fields keep their values. `events` replaces the whole list.',
    params,
    body: updateEndpointBody,
    response: endpoint,
    errors: ['ENDPOINT_NOT_FOUND', 'SANDBOX_MISMATCH', 'EVENTS_NOT_PERMITTED'],
    example: { params: ofOne, body: example.change, response: example.changed },
  },
  delete: {
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description:
      'Deliveries that are not finished become CANCELLED. The service aborts a request that is in progress within 3 s. A live key can delete test endpoints too.',
    params,
    response: deletedEndpoint,
    errors: ['ENDPOINT_NOT_FOUND', 'SANDBOX_MISMATCH'],
    example: { params: ofOne, response: example.deleted },
  },
  test: {
    operationId: 'testWebhookEndpoint',
    summary: 'Send a test event',
    description:
      'Sends one signed event with sample data to the endpoint, without retries. The status is 200 even if the attempt fails: check `delivered`. The response takes as long as your endpoint does, up to the webhook timeout.',
    params,
    body: testEndpointBody,
    response: testResult,
    errors: ['ENDPOINT_NOT_FOUND', 'SANDBOX_MISMATCH', 'EVENTS_NOT_PERMITTED'],
    example: { params: ofOne, body: { event: 'payment.confirmed' }, response: example.tested },
  },
  rotateSecret: {
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate a webhook secret',
    description:
      'Creates a new signing secret. This is the only response that contains it. For 24 hours, deliveries also carry a signature with the old secret.',
    params,
    response: endpointWithSecret,
    errors: ['ENDPOINT_NOT_FOUND', 'SANDBOX_MISMATCH'],
    example: { params: ofOne, response: example.rotated },
  },
  list: {
    operationId: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    description:
      'Returns the webhook endpoints of one environment, newest first, without their secrets. `last24Hours` shows how many of the latest attempts succeeded.',
    query: listEndpointsQuery,
    response: endpointPage,
    errors: ['SANDBOX_MISMATCH'],
    example: { response: pageWith(example.listed, 20) },
  },
})
