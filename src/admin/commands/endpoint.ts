import type { Command } from 'commander'
import { listedEndpointShown } from '../../staff-acts/shown.ts'
import type { EndpointFilter } from '../../webhooks/endpoints/endpoint-facts.ts'
import { asList, commandAction, orFail, subcommand, subcommandOnId } from './act.ts'
import { someId } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { columnOf, detailsText } from './text.ts'

const listHelp = `
Deleted endpoints are listed only with --deleted.

Examples:
  admin endpoint list --failing
  admin endpoint list --business ID --json`

const showHelp = `
"deliveries" counts dead deliveries, and those that wait for an attempt, up to 100000
each. "oldSecretEndsAt" is the end of a rotation's overlap. Until then, webhooks are
also signed with the old secret. "last24Hours" counts the attempts of the current hour and
of the 23 hours before it. "reportedFailingSince" is set if the failure was reported to the
other endpoints of the merchant as endpoint.failing.

Example:
  admin endpoint show ID`

export function addEndpointCommands(program: Command): void {
  const endpoint = subcommand(program, 'endpoint', 'find webhook endpoints')
  const list = subcommand(endpoint, 'list', 'list endpoints, newest first')
    .option('--business <id>', 'only endpoints of this business', someId)
    .option('--failing', 'only endpoints whose last attempt failed')
    .option('--disabled', 'only endpoints that are not active')
    .option('--deleted', 'only deleted endpoints')
    .addHelpText('after', listHelp)
  asList(
    list,
    columns,
    async (deps, { disabled, ...filter }: EndpointFilter & { disabled?: true }, slice) => {
      const { listEndpoints } = await import('../../webhooks/endpoints/endpoint-facts.ts')
      return listEndpoints(deps, { ...filter, ...(disabled && { active: false }) }, slice)
    },
  )

  subcommandOnId(endpoint, 'show', 'show the state, the health and the deliveries of an endpoint')
    .addHelpText('after', showHelp)
    .action(commandAction(showEndpoint, detailsText))
}

async function showEndpoint(deps: AdminDeps, id: string) {
  const { lookUpBusiness } = await import('../../businesses/list-businesses.ts')
  const { lookUpEndpointFacts } = await import('../../webhooks/endpoints/endpoint-facts.ts')
  const facts = orFail(await lookUpEndpointFacts(deps, id), `There is no endpoint ${id}`)
  const business = await lookUpBusiness(deps, facts.businessId)
  return { ...facts, businessName: business?.name ?? '' }
}

const columns = Object.values(listedEndpointShown).map(columnOf)
