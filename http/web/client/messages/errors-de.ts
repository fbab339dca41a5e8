// Was über Fehler der API gesagt wird, auf Deutsch.
import type { ErrorTexts } from './errors-en.js';

const OUTDATED = 'Diese Seite passt nicht zum Server. Lade sie neu.';
const FAILED =
  'Auf dem Server ist etwas schiefgegangen. Versuche es noch einmal; den Grund findet der Administrator im Protokoll.';

export const errorsDe = {
  kinds: {
    BadRequest: 'Der Server nimmt diese Angaben nicht an. Prüfe sie und versuche es noch einmal.',
    Unauthorized: 'Du bist nicht angemeldet. Melde dich an und versuche es noch einmal.',
    Forbidden: 'Dafür fehlt dir die Berechtigung. Frage den Administrator.',
    NotFound: 'Das gibt es nicht mehr, oder du darfst es nicht sehen.',
    MethodNotAllowed: OUTDATED,
    Conflict: 'Das verträgt sich nicht mit dem, was auf dem Server gespeichert ist oder gerade läuft.',
    LengthRequired: OUTDATED,
    PreconditionFailed: 'Das wurde inzwischen geändert. Lade die Seite neu und versuche es noch einmal.',
    PayloadTooLarge: 'Das ist zu groß für den Server. Wähle eine kleinere Datei.',
    UnsupportedMediaType: 'Dateien dieser Art nimmt der Server nicht an.',
    RangeNotSatisfiable: OUTDATED,
    TooManyRequests: 'Zu viele Anfragen. Warte einen Moment und versuche es noch einmal.',
    UnsupportedFormat: 'Das Format dieser Datei wird nicht unterstützt.',
    CorruptArchive: 'Die Datei ist beschädigt. Ersetze sie durch eine unbeschädigte.',
    EncryptedArchive: 'Die Datei ist durch ein Passwort oder einen Kopierschutz gesperrt.',
    EmptyBook: 'Die Datei enthält keine Seiten.',
    CorruptPage: 'Diese Seite ist beschädigt und lässt sich nicht anzeigen.',
    LimitExceeded: 'Die Datei überschreitet eine Grenze dieses Servers.',
    FileUnreadable: 'Das lässt sich nicht vom Datenträger lesen. Prüfe, ob er angeschlossen ist.',
    FileChanged: 'Die Datei wurde geändert, während sie gelesen wurde. Versuche es noch einmal.',
    Cancelled: 'Das wurde abgebrochen. Versuche es noch einmal.',
    Timeout: 'Das hat zu lange gedauert und wurde abgebrochen. Versuche es später noch einmal.',
    Overloaded: 'Der Server ist ausgelastet. Versuche es gleich noch einmal.',
    WorkerCrashed: FAILED,
    StorageFull: 'Der Datenträger des Servers ist voll. Bis wieder Platz ist, lässt sich nichts ändern.',
    StorageFailed: 'Der Datenträger des Servers ist gestört. Versuche es später noch einmal.',
    ProviderFailed:
      'Der Anmeldedienst ist nicht erreichbar oder hat ungültig geantwortet. Versuche es später noch einmal.',
    CollectorFailed: 'Die Sammelstelle für Traces und Metriken ist nicht erreichbar oder nimmt sie nicht an.',
    NotConfigured: 'Das ist auf diesem Server nicht eingerichtet. Frage den Administrator.',
    InternalServerError: FAILED,
  },
  wait: (seconds: number): string =>
    seconds < 90
      ? `Zu viele Versuche. Versuche es in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} noch einmal.`
      : `Zu viele Versuche. Versuche es in ${Math.ceil(seconds / 60)} Minuten noch einmal.`,
  field: (label: string): string => `Prüfe, was du unter „${label}“ eingegeben hast.`,
  fields: {
    username: 'Benutzername',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    newPassword: 'Neues Passwort',
    name: 'Name',
    path: 'Pfad des Ordners',
    cronSchedule: 'Nach Zeitplan scannen',
  },
  unreachable: 'Der Server ist nicht erreichbar. Prüfe deine Verbindung und versuche es noch einmal.',
  unknown: 'Etwas ist schiefgegangen. Versuche es noch einmal.',
} satisfies ErrorTexts;
