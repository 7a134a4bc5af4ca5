import type { Command } from 'commander'
import { listedEndpointDisplay } from '../../staff-acts/shown.ts'
import type { EndpointFilter } from '../../webhooks/endpoints/endpoint-facts.ts'
import { addListAction, addShowCommand, addSubcommand, examplesHelp } from './act.ts'
import { idArgument } from './arguments.ts'
import { toColumn } from './text.ts'

const listHelp = `
Deleted endpoints are listed only with --deleted.
${examplesHelp('endpoint list --failing', 'endpoint list --business ID --json')}`

const showHelp = `
"deliveries" counts dead deliveries, and those waiting for an attempt, up to 100000
each. "oldSecretEndsAt" is the end of a rotation's overlap. Until then, webhooks are
also signed with the old secret. "last24Hours" counts the attempts of the current hour and
of the 23 hours before it. "reportedFailingSince" is set if the failure was reported to the
other endpoints of the merchant as endpoint.failing.
${examplesHelp('endpoint show ID')}`

export function addEndpointCommands(program: Command): void {
  const endpoint = addSubcommand(program, 'endpoint', 'find webhook endpoints')
  const list = addSubcommand(endpoint, 'list', 'list endpoints, newest first', listHelp)
    .option('--business <id>', 'only endpoints of this business', idArgument)
    .option('--failing', 'only endpoints whose last attempt failed')
    .option('--disabled', 'only endpoints that are not active')
    .option('--deleted', 'only deleted endpoints')
  addListAction(list, Object.values(listedEndpointDisplay).map(toColumn), async () => {
    const { listEndpoints } = await import('../../webhooks/endpoints/endpoint-facts.ts')
    return (deps, { disabled, ...filter }: EndpointFilter & { disabled?: true }, slice) =>
      listEndpoints(deps, { ...filter, ...(disabled && { active: false }) }, slice)
  })

  const shown = 'show the state, the health and the deliveries of an endpoint'
  addShowCommand(endpoint, shown, showHelp, async () => {
    const { lookUpBusiness } = await import('../../businesses/list-businesses.ts')
    const { lookUpEndpointFacts } = await import('../../webhooks/endpoints/endpoint-facts.ts')
    return async (deps, id) => {
      const facts = await lookUpEndpointFacts(deps, id)
      const business = facts && (await lookUpBusiness(deps, facts.businessId))
      return facts && { ...facts, businessName: business?.name ?? '' }
    }
  })
}
