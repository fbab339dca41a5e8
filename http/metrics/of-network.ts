// Measurements of requests and connections.
import type { NetworkLoad } from '../server/adapter.js';
import { ANSWER_MS, type Traffic } from '../surface/traffic.js';
import { counter, type Family, gauge, histogram, sample } from './family.js';

const BOUNDS = ANSWER_MS.map((ms) => ms / 1000);

export const ofRequests = (traffic: Traffic): readonly Family[] => {
  const routes = traffic.routes();
  return [
    counter(
      'longbox_http_requests_total',
      'Answered requests, by route template and class of status.',
      routes.flatMap(({ method, route, answers }) =>
        answers.map(({ status, count }) => sample(count, { method, route, status })),
      ),
    ),
    histogram(
      'longbox_http_request_duration_seconds',
      'Time from a whole request to its answer, which then is still to be sent.',
      routes.map(({ method, route, within, seconds }) => ({
        labels: { method, route },
        bounds: BOUNDS,
        cumulative: within,
        sum: seconds,
      })),
    ),
    counter(
      'longbox_http_refusals_total',
      'Requests refused before or beside their route: malformed, too large, or too late.',
      traffic.refusals().map(({ status, count }) => sample(count, { status })),
    ),
  ];
};

export const ofNetwork = ({ connections, liveStreams, sentBytes }: NetworkLoad): readonly Family[] => [
  ...(connections === undefined
    ? []
    : [gauge('longbox_http_connections', 'Open connections; those to other servers may be among them.', connections)]),
  gauge('longbox_http_live_streams', 'Open streams of server-sent events.', liveStreams),
  counter('longbox_http_sent_bytes_total', 'Bytes of response bodies that were sent.', sentBytes),
];
