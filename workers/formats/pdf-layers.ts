// Layers of a PDF document that are visible depending on others (membership dictionaries, ISO 32000-2, 8.11.2.2). The PDF reader ignores
// their expressions and most of their policies: they are evaluated before a page is drawn, and replaced in memory by a layer that is on or
// off.
import type { Pdf, PdfObject } from './mupdf.js';

/** More than any page has; so many take some milliseconds. */
const OBJECTS_MAX = 20_000;
/** Of forms in forms, and of terms in terms. */
const DEPTH_MAX = 16;

interface Layers {
  readonly document: Pdf['document'];
  readonly isOnByDefault: boolean;
  readonly on: ReadonlySet<number>;
  readonly off: ReadonlySet<number>;
  /** Numbers of objects that need not be looked at again. */
  readonly seen: Set<number>;
  /** How many objects may still be looked at for this page. */
  left: number;
}

/** Null, of which nothing can be asked, has only entries that are null. */
const entry = (object: PdfObject, name: string): PdfObject => (object.isNull() ? object : object.get(name));

const valuesOf = (object: PdfObject): PdfObject[] => {
  const values: PdfObject[] = [];
  if (!object.isArray() && !object.isDictionary()) return values;
  object.forEach((value) => {
    if (values.length < OBJECTS_MAX) values.push(value);
  });
  return values;
};

const numbersOf = (groups: PdfObject): ReadonlySet<number> =>
  new Set(valuesOf(groups).map((group) => group.asIndirect()));

const layersOf = (document: Pdf['document']): Layers | null => {
  const properties = entry(entry(document.getTrailer(), 'Root'), 'OCProperties');
  if (!properties.isDictionary()) return null;
  const setting = properties.get('D');
  return {
    document,
    isOnByDefault: entry(setting, 'BaseState').asName() !== 'OFF',
    on: numbersOf(entry(setting, 'ON')),
    off: numbersOf(entry(setting, 'OFF')),
    seen: new Set(),
    left: OBJECTS_MAX,
  };
};

/** As the PDF reader sees a single layer: how it is used comes before what the document sets. */
const isOn = (group: PdfObject, { isOnByDefault, on, off }: Layers): boolean => {
  const use = entry(entry(entry(group, 'Usage'), 'View'), 'ViewState').asName();
  if (use === 'ON' || use === 'OFF') return use === 'ON';
  const number = group.asIndirect();
  return !off.has(number) && (isOnByDefault || on.has(number));
};

/** The value of an expression; undefined for one that is damaged or too long. */
const truthOf = (term: PdfObject, layers: Layers, depth = 0): boolean | undefined => {
  layers.left -= 1;
  if (depth > DEPTH_MAX || layers.left < 0) return undefined;
  if (term.isDictionary()) return isOn(term, layers);
  const [operator, ...operands] = valuesOf(term);
  const values = operands.map((operand) => truthOf(operand, layers, depth + 1));
  if (values.length === 0 || values.includes(undefined)) return undefined;
  switch (operator?.asName()) {
    case 'And':
      return !values.includes(false);
    case 'Or':
      return values.includes(true);
    case 'Not':
      return values[0] === false;
    default:
      return undefined;
  }
};

const byPolicy = (membership: PdfObject, layers: Layers): boolean => {
  const groups = membership.get('OCGs');
  const states = (groups.isArray() ? valuesOf(groups) : [groups])
    .filter((group) => group.isDictionary())
    .map((group) => isOn(group, layers));
  if (states.length === 0) return true;
  switch (membership.get('P').asName()) {
    case 'AllOn':
      return !states.includes(false);
    case 'AnyOff':
      return states.includes(false);
    case 'AllOff':
      return !states.includes(true);
    default:
      return states.includes(true);
  }
};

const layerThatIs = (state: 'ON' | 'OFF', document: Pdf['document']): PdfObject => {
  const [layer, usage, view] = [document.newDictionary(), document.newDictionary(), document.newDictionary()];
  view.put('ViewState', document.newName(state));
  usage.put('View', view);
  layer.put('Type', document.newName('OCG'));
  layer.put('Usage', usage);
  return layer;
};

const isMembershipShown = (membership: PdfObject, layers: Layers): boolean =>
  truthOf(membership.get('VE'), layers) ?? byPolicy(membership, layers);

/** Of a layer, or of a membership. */
const isHidden = (layer: PdfObject, layers: Layers): boolean =>
  layer.isDictionary() &&
  !(layer.get('Type').asName() === 'OCMD' ? isMembershipShown(layer, layers) : isOn(layer, layers));

/** Replaces what a membership depends on; other objects stay as they are. */
const settle = (membership: PdfObject, layers: Layers): void => {
  if (!membership.isDictionary() || membership.get('Type').asName() !== 'OCMD') return;
  const isShown = isMembershipShown(membership, layers);
  membership.delete('VE');
  membership.delete('P');
  membership.put('OCGs', layerThatIs(isShown ? 'ON' : 'OFF', layers.document));
};

/** False for one that has been looked at, and when there were too many. */
const isNew = (object: PdfObject, layers: Layers): boolean => {
  layers.left -= 1;
  if (layers.left < 0 || !object.isDictionary()) return false;
  if (!object.isIndirect()) return true;
  const number = object.asIndirect();
  if (layers.seen.has(number)) return false;
  layers.seen.add(number);
  return true;
};

const settleResources = (resources: PdfObject, layers: Layers, depth = 0): void => {
  if (depth > DEPTH_MAX || !isNew(resources, layers)) return;
  for (const one of valuesOf(resources.get('Properties'))) if (isNew(one, layers)) settle(one, layers);
  for (const one of [...valuesOf(resources.get('XObject')), ...valuesOf(resources.get('Pattern'))]) {
    if (!isNew(one, layers)) continue;
    settle(one.get('OC'), layers);
    settleResources(one.get('Resources'), layers, depth + 1);
  }
};

/** What an annotation looks like: a form, or one for each of its states. The PDF reader ignores the layer of the form itself. */
const settleAppearance = (annotation: PdfObject, layers: Layers): void => {
  const appearance = entry(annotation.get('AP'), 'N');
  for (const form of appearance.isStream() ? [appearance] : valuesOf(appearance)) {
    settle(entry(form, 'OC'), layers);
    settleResources(entry(form, 'Resources'), layers);
  }
  const drawn = appearance.isStream() ? appearance : entry(appearance, annotation.get('AS').asName());
  if (isHidden(entry(drawn, 'OC'), layers)) annotation.put('OC', layerThatIs('OFF', layers.document));
};

/** Those of open documents; null for a document without layers. */
const known = new WeakMap<Pdf['document'], Layers | null>();

/** Before a page is drawn. */
export const resolveLayers = ({ document }: Pdf, page: PdfObject): void => {
  const layers = known.get(document) ?? layersOf(document);
  known.set(document, layers);
  if (layers === null) return;
  layers.left = OBJECTS_MAX;
  settleResources(page.getInheritable('Resources'), layers);
  for (const annotation of valuesOf(page.get('Annots'))) {
    if (!isNew(annotation, layers)) continue;
    settle(annotation.get('OC'), layers);
    settleAppearance(annotation, layers);
  }
};
